// Asks llama.cpp's unicode_regex_split where it cuts texts. Built by words.py together with src/unicode*.cpp.
//
//     E HEX HEX ..    the expressions from here on (UTF-8 in hexadecimal)
//     T HEX           a text; answered with the lengths of its words in code points, or `error`
//     C               answered with the classes of all code points: `LENGTH CLASS` for each run of equal ones

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "unicode.h"

static std::string decoded(const std::string & hex) {
    std::string bytes;
    for (size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    }
    return bytes;
}

static void show_words(const std::string & text, const std::vector<std::string> & expressions) {
    try {
        for (const std::string & word : unicode_regex_split(text, expressions, false)) {
            std::cout << unicode_cpts_from_utf8(word).size() << ' ';
        }
        std::cout << std::endl;
    } catch (const std::exception &) {
        std::cout << "error" << std::endl;
    }
}

static char class_of(uint32_t code) {
    const unicode_cpt_flags flags = unicode_cpt_flags_from_cpt(code);
    return flags.is_whitespace  ? ' '
         : flags.is_letter      ? 'L'
         : flags.is_accent_mark ? 'M'
         : flags.is_number      ? 'N'
         : flags.is_punctuation ? 'P'
         : flags.is_symbol      ? 'S'
         : 'C';
}

static void show_classes() {
    const uint32_t end = 0x110000;
    for (uint32_t code = 0, start = 0; code < end; ++code) {
        if (code + 1 == end || class_of(code + 1) != class_of(start)) {
            std::cout << code + 1 - start << ' ' << class_of(start) << '\t';
            start = code + 1;
        }
    }
    std::cout << std::endl;
}

int main() {
    std::vector<std::string> expressions;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream fields(line);
        std::string kind, hex;
        fields >> kind;
        if (kind == "E") {
            expressions.clear();
            while (fields >> hex) {
                expressions.push_back(decoded(hex));
            }
        } else if (kind == "T") {
            fields >> hex;
            show_words(decoded(hex), expressions);
        } else if (kind == "C") {
            show_classes();
        }
    }
}
