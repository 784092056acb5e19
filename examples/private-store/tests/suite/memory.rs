//! The device's memory, as the host may use it.

use std::any::Any;
use std::sync::Arc;

use vt::core::DeviceError;
use vt::core::memory::DeviceMemory;
use vt::core::registry::{Device, DeviceStore};
use vt_private_store::STORE;

use crate::harness::registry;

fn with_store(test: impl FnOnce(&dyn DeviceStore)) {
    let registry = registry();
    let device: &Arc<dyn Device> = registry.devices().iter().find(|d| d.name() == STORE).unwrap();
    test(device.store().unwrap());
}

fn message(result: Result<(), DeviceError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn what_was_uploaded_can_be_downloaded() {
    with_store(|store| {
        let memory = store.alloc(6).unwrap();
        store.upload(&*memory, 2, &[7, 8, 9]).unwrap();
        let mut bytes = [1; 6];
        store.download(&*memory, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 7, 8, 9, 0]);
        store.upload(&*memory, 6, &[]).unwrap();
        store.synchronize().unwrap();
        assert_eq!((memory.len(), store.alloc(0).unwrap().is_empty()), (6, true));
    });
}

#[test]
fn ranges_outside_are_errors_and_change_nothing() {
    with_store(|store| {
        let memory = store.alloc(4).unwrap();
        for (offset, len) in [(0, 5), (4, 1), (5, 0), (usize::MAX, 2)] {
            let expected = format!("device `store`: {len} bytes from {offset} on, of 4");
            assert_eq!(message(store.upload(&*memory, offset, &vec![1; len])), expected);
            assert_eq!(message(store.download(&*memory, offset, &mut vec![1; len])), expected);
        }
        let mut bytes = [1; 4];
        store.download(&*memory, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0; 4]);
    });
}

#[test]
fn more_memory_than_there_is_is_an_error() {
    with_store(|store| assert!(store.alloc(usize::MAX).is_err()));
}

/// Memory of another device.
#[derive(Debug)]
struct Foreign;

impl DeviceMemory for Foreign {
    fn len(&self) -> usize {
        4
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn another_devices_memory_is_an_error() {
    with_store(|store| {
        let expected = "device `store`: the memory is another device's";
        assert_eq!(message(store.upload(&Foreign, 0, &[1])), expected);
        assert_eq!(message(store.download(&Foreign, 0, &mut [1])), expected);
    });
}
