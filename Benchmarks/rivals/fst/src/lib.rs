//! The fst crate behind four C functions, for fst.c: one map, in statics, since a program has one.

use fst::raw::{Fst, Node};
use fst::MapBuilder;
use std::ffi::CStr;
use std::fs::File;
use std::io::BufWriter;
use std::os::raw::{c_char, c_int};
use std::ptr::{addr_of, addr_of_mut};

static mut BUILDER: Option<MapBuilder<BufWriter<File>>> = None;
static mut MAP: Option<Fst> = None;

/// # Safety
/// `path` ends with a zero; one thread.
#[no_mangle]
pub unsafe extern "C" fn fst_begin(path: *const c_char) -> c_int {
    let path = CStr::from_ptr(path).to_string_lossy().into_owned();
    let builder = File::create(path).ok().and_then(|file| MapBuilder::new(BufWriter::new(file)).ok());
    let failed = builder.is_none();
    *addr_of_mut!(BUILDER) = builder;
    failed as c_int
}

/// # Safety
/// `key` has `size` bytes; after `fst_begin`.
#[no_mangle]
pub unsafe extern "C" fn fst_insert(key: *const u8, size: usize, value: u64) -> c_int {
    let key = std::slice::from_raw_parts(key, size);
    match &mut *addr_of_mut!(BUILDER) {
        Some(builder) => builder.insert(key, value).is_err() as c_int,
        None => 1,
    }
}

/// On disk when it returns.
///
/// # Safety
/// One thread.
#[no_mangle]
pub unsafe extern "C" fn fst_finish() -> c_int {
    let file = (*addr_of_mut!(BUILDER)).take().and_then(|b| b.into_inner().ok()).and_then(|w| w.into_inner().ok());
    file.map_or(1, |file| file.sync_all().is_err() as c_int)
}

/// # Safety
/// The bytes stay for as long as the program runs.
#[no_mangle]
pub unsafe extern "C" fn fst_open(bytes: *const u8, size: usize) -> c_int {
    let bytes: &'static [u8] = std::slice::from_raw_parts(bytes, size);
    let map = Fst::from_static_slice(bytes).ok();
    let failed = map.is_none();
    *addr_of_mut!(MAP) = map;
    failed as c_int
}

/// The value of the first key below a node, added to the values on the way to the node.
fn first<'a>(fst: &'a Fst, mut node: Node<'a>, mut sum: u64) -> u64 {
    while !node.is_final() {
        let down = node.transition(0);
        sum += down.out.value();
        node = fst.node(down.addr);
    }
    sum + node.final_output().value()
}

/// The values of the first key that begins with the prefix and, in `end`, of the first above all that do, `count` if no
/// key is above; twice the same value if no key begins with it. One walk down allocates nothing; the stream of a range
/// does.
///
/// # Safety
/// After `fst_open`; `prefix` has `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn fst_range(prefix: *const u8, size: usize, count: u64, end: *mut u64) -> u64 {
    *end = count;
    let fst = match &*addr_of!(MAP) {
        Some(map) => map,
        None => return count,
    };
    let (mut node, mut sum, mut after) = (fst.root(), 0, None);
    for &byte in std::slice::from_raw_parts(prefix, size) {
        let number = match node.find_input(byte) {
            Some(number) => number,
            None => return count,
        };
        if number + 1 < node.len() {
            let beside = node.transition(number + 1);
            after = Some((beside.addr, sum + beside.out.value()));
        }
        let down = node.transition(number);
        sum += down.out.value();
        node = fst.node(down.addr);
    }
    if let Some((beside, sum)) = after {
        *end = first(fst, fst.node(beside), sum);
    }
    first(fst, node, sum)
}
