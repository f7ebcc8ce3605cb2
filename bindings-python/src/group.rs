//! Many keys at once: for `Router` and `Snapshot`.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMemoryView, PyString, PyTuple};
use shardway_core::{Error, Groups, PackedKeys};

use crate::border::{invalid, raise, raise_at, wrong_type};
use crate::key::with_key;
use crate::names::View;
use crate::node::hash_of;

/// Batches below this many keys keep the GIL: they take less time than to get it back from another thread.
const DETACH_FROM: usize = 512;

/// The groups of `keys`, and the keys themselves, by number.
fn grouped<'a, 'py>(view: &View, keys: &'a Bound<'py, PyTuple>) -> PyResult<(Vec<Borrowed<'a, 'py, PyAny>>, Groups)> {
    let py = keys.py();
    let (mut own, mut hashes) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
    for (number, key) in keys.iter_borrowed().enumerate() {
        let place = || format!("keys[{number}]");
        let hash =
            with_key(&key, place, |key| view.snapshot.hash(key).map_err(|error| raise_at(py, &error, &place())))?;
        own.push(key);
        hashes.push(hash);
    }
    let groups = if hashes.len() < DETACH_FROM {
        view.snapshot.group_hashes(&hashes)
    } else {
        py.detach(|| view.snapshot.group_hashes(&hashes))
    };
    Ok((own, groups.map_err(|error| raise(py, &error))?))
}

/// The keys as a tuple: another thread may change a list while the GIL is released, and a generator runs once.
fn tuple<'py>(keys: &Bound<'py, PyAny>, place: &str) -> PyResult<Bound<'py, PyTuple>> {
    let single = keys.is_instance_of::<PyString>()
        || keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyByteArray>()
        || keys.is_instance_of::<PyMemoryView>();
    if single {
        return Err(wrong_type(place, keys, "an iterable is right, not a single key"));
    }
    if let Ok(keys) = keys.cast_exact::<PyTuple>() {
        return Ok(keys.clone());
    }
    if let Ok(keys) = keys.cast_exact::<PyList>() {
        return Ok(keys.to_tuple());
    }
    // Only what is not iterable gets our error; what an iterator raises is the caller's own.
    let keys = keys.try_iter().map_err(|_| wrong_type(place, keys, "an iterable is right"))?;
    Ok(keys.py().get_type::<PyTuple>().call1((keys,))?.cast_into::<PyTuple>()?)
}

/// Node id to the caller's own key objects.
pub(crate) fn group<'py>(view: &View, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = keys.py();
    let keys = tuple(keys, "keys")?;
    let (keys, groups) = grouped(view, &keys)?;
    let by_node = PyDict::new(py);
    for (node, indices) in groups.iter() {
        let keys = PyList::new(py, indices.iter().map(|&index| keys[index as usize]))?;
        by_node.set_item(view.names.get(py, node), keys)?;
    }
    Ok(by_node)
}

/// Node id to the numbers of its keys.
pub(crate) fn group_indices<'py>(view: &View, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = keys.py();
    let (_, groups) = grouped(view, &tuple(keys, "keys")?)?;
    let by_node = PyDict::new(py);
    for (node, indices) in groups.iter() {
        by_node.set_item(view.names.get(py, node), PyList::new(py, indices)?)?;
    }
    Ok(by_node)
}

/// What `group_packed` gives: node ids, offsets, indices.
pub(crate) type Packed<'py> = (Bound<'py, PyList>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Groups the keys of a packed batch, with the GIL released.
pub(crate) fn group_packed<'py>(
    view: &View,
    data: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
) -> PyResult<Packed<'py>> {
    let py = data.py();
    let offsets = Offsets::read(offsets)?;
    let groups = if let Ok(data) = data.cast::<PyBytes>() {
        // Lent: bytes never change, and the caller holds them for the call.
        let data = data.as_bytes();
        py.detach(|| offsets.group(view, data))
    } else {
        let data = copied(data)?;
        py.detach(|| offsets.group(view, &data))
    };
    packed(py, view, groups)
}

/// Groups keys by the caller's hashes, with the GIL released.
pub(crate) fn group_hashes<'py>(view: &View, hashes: &Bound<'py, PyAny>) -> PyResult<Packed<'py>> {
    let py = hashes.py();
    let hashes = if let Some(Numbers { signed: false, width: 8, bytes }) = Numbers::read(hashes)? {
        items(&bytes, u64::from_ne_bytes)
    } else {
        // Any other buffer may still be an iterable of numbers.
        let numbers = tuple(hashes, "hashes")?;
        let number = |(place, number): (usize, Bound<'py, PyAny>)| hash_of(&number, &format!("hashes[{place}]"));
        numbers.iter().enumerate().map(number).collect::<PyResult<Vec<u64>>>()?
    };
    packed(py, view, py.detach(|| view.snapshot.group_hashes(&hashes)))
}

fn packed<'py>(py: Python<'py>, view: &View, groups: Result<Groups, Error>) -> PyResult<Packed<'py>> {
    let groups = groups.map_err(|error| raise(py, &error))?;
    let nodes = PyList::new(py, groups.nodes().iter().map(|&node| view.names.get(py, node)))?;
    Ok((nodes, numbers(py, groups.offsets())?, numbers(py, groups.indices())?))
}

/// The bytes of a buffer that may change while the GIL is released.
fn copied(data: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    const RIGHT: &str = "bytes, or a contiguous buffer of bytes, is right";
    let buffer = PyBuffer::<u8>::get(data).map_err(|_| wrong_type("data", data, RIGHT))?;
    if !buffer.is_c_contiguous() {
        return Err(invalid(data.py(), "data", &format!("a buffer with gaps; {RIGHT}")));
    }
    buffer.to_vec(data.py())
}

/// 32-bit numbers as a read-only `memoryview` of format "I".
fn numbers<'py>(py: Python<'py>, numbers: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new_with(py, numbers.len() * 4, |room| {
        for (room, number) in room.chunks_exact_mut(4).zip(numbers) {
            room.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })?;
    PyMemoryView::from(&bytes)?.call_method1("cast", ("I",))
}

/// A copy of the caller's offsets, in their width.
enum Offsets {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Offsets {
    fn read(offsets: &Bound<'_, PyAny>) -> PyResult<Self> {
        const RIGHT: &str = "a one-dimensional buffer of 32- or 64-bit whole numbers is right, \
                             such as array('I'), array('Q') or a numpy array of uint32 or int64";
        let py = offsets.py();
        let negative = |place: usize| invalid(py, &format!("offsets[{place}]"), "negative; 0 and up is right");
        match Numbers::read(offsets)? {
            Some(Numbers { signed: false, width: 4, bytes }) => Ok(Self::Narrow(items(&bytes, u32::from_ne_bytes))),
            Some(Numbers { signed: false, width: 8, bytes }) => Ok(Self::Wide(items(&bytes, u64::from_ne_bytes))),
            Some(Numbers { signed: true, width: 4, bytes }) => {
                let numbers = items(&bytes, i32::from_ne_bytes).into_iter().enumerate();
                let numbers = numbers.map(|(place, number)| u32::try_from(number).map_err(|_| negative(place)));
                Ok(Self::Narrow(numbers.collect::<PyResult<_>>()?))
            }
            Some(Numbers { signed: true, width: 8, bytes }) => {
                let numbers = items(&bytes, i64::from_ne_bytes).into_iter().enumerate();
                let numbers = numbers.map(|(place, number)| u64::try_from(number).map_err(|_| negative(place)));
                Ok(Self::Wide(numbers.collect::<PyResult<_>>()?))
            }
            _ => Err(wrong_type("offsets", offsets, RIGHT)),
        }
    }

    fn group(&self, view: &View, data: &[u8]) -> Result<Groups, Error> {
        let keys = match self {
            Self::Narrow(offsets) => PackedKeys::new(data, offsets),
            Self::Wide(offsets) => PackedKeys::new_wide(data, offsets),
        };
        view.snapshot.group_packed(keys?)
    }
}

/// A copy of a one-dimensional buffer of whole numbers in this machine's byte order. Its memory may be unaligned
/// or have gaps, so it is read as bytes.
struct Numbers {
    signed: bool,
    width: usize,
    bytes: Vec<u8>,
}

impl Numbers {
    /// `None` for what is no such buffer.
    fn read(numbers: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Ok(view) = PyMemoryView::from(numbers) else { return Ok(None) };
        let format: String = view.getattr("format")?.extract()?;
        let signed = match format.trim_start_matches(['@', '=']) {
            "I" | "L" | "Q" => false,
            "i" | "l" | "q" => true,
            _ => return Ok(None),
        };
        if view.getattr("ndim")?.extract::<usize>()? != 1 {
            return Ok(None);
        }
        let width = view.getattr("itemsize")?.extract()?;
        let bytes = view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec();
        Ok(Some(Self { signed, width, bytes }))
    }
}

/// The items of a copied buffer.
fn items<T, const N: usize>(bytes: &[u8], item: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|bytes| item(*bytes)).collect()
}
