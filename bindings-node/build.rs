//! Tells the linker that Node resolves the symbols of Node-API.

fn main() {
    napi_build::setup();
}
