// The part of the C ABI that the vectors need, as Go sees it. Handles live until the process ends, but for those that a
// function makes and gives back.

package main

/*
#include <shardway.h>
#include <stdlib.h>
#include <string.h>

static shardway_error_t empty_error(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    return error;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// failure is an error of the library.
type failure struct {
	code, message, place string
}

func (f *failure) Error() string { return f.code + ": " + f.message }

func failed(status C.shardway_status_t, err *C.shardway_error_t) error {
	if status == C.SHARDWAY_OK {
		return nil
	}
	return &failure{C.GoString(C.shardway_status_name(status)), C.GoString(&err.message[0]), C.GoString(&err.place[0])}
}

type topology struct{ raw *C.shardway_topology_t }

func parse(document string) (topology, error) {
	text := C.CString(document)
	defer C.free(unsafe.Pointer(text))
	var made topology
	err := C.empty_error()
	status := C.shardway_topology_from_json(text, C.size_t(len(document)), &made.raw, &err)
	return made, failed(status, &err)
}

func (t topology) fingerprint() string {
	return fmt.Sprintf("%016x", uint64(C.shardway_topology_fingerprint(t.raw)))
}
func (t topology) free() { C.shardway_topology_free(t.raw) }

// key is a typed key; its bytes lie in memory of C.
type key struct{ raw C.shardway_key_t }

func newKey(kind C.int32_t, bytes []byte, number int64) key {
	made := key{C.shardway_key_t{struct_size: C.sizeof_shardway_key_t, kind: kind, integer: C.int64_t(number)}}
	if len(bytes) > 0 {
		made.raw.data = C.CBytes(bytes)
		made.raw.length = C.size_t(len(bytes))
	}
	return made
}

func textKey(text string) key   { return newKey(C.SHARDWAY_KEY_TEXT, []byte(text), 0) }
func bytesKey(bytes []byte) key { return newKey(C.SHARDWAY_KEY_BYTES, bytes, 0) }
func longKey(value int64) key   { return newKey(C.SHARDWAY_KEY_I64, nil, value) }
func intKey(value int64) key    { return newKey(C.SHARDWAY_KEY_I32, nil, value) }
func (k key) free()             { C.free(unsafe.Pointer(k.raw.data)) }
func (k key) bytes() []byte     { return C.GoBytes(k.raw.data, C.int(k.raw.length)) }
func (k key) isBytes() bool {
	return k.raw.kind == C.SHARDWAY_KEY_BYTES || k.raw.kind == C.SHARDWAY_KEY_TEXT
}
func (k key) number() int64 { return int64(k.raw.integer) }

func boolKey(value bool) key {
	if value {
		return newKey(C.SHARDWAY_KEY_BOOL, nil, 1)
	}
	return newKey(C.SHARDWAY_KEY_BOOL, nil, 0)
}

// ring is a router together with the snapshot in force, whose names it reads.
type ring struct {
	router   *C.shardway_router_t
	snapshot *C.shardway_snapshot_t
}

func open(t topology) (*ring, error) {
	r := &ring{}
	err := C.empty_error()
	if status := C.shardway_router_new(t.raw, 1, &r.router, &err); status != C.SHARDWAY_OK {
		return nil, failed(status, &err)
	}
	return r, r.look()
}

// look takes the snapshot in force now.
func (r *ring) look() error {
	C.shardway_snapshot_free(r.snapshot)
	r.snapshot = nil
	err := C.empty_error()
	return failed(C.shardway_router_snapshot(r.router, &r.snapshot, &err), &err)
}

func (r *ring) free() {
	C.shardway_snapshot_free(r.snapshot)
	C.shardway_router_free(r.router)
}

func (r *ring) name(node C.uint32_t) string {
	var id *C.char
	var length C.size_t
	err := C.empty_error()
	if failed(C.shardway_snapshot_node_id(r.snapshot, node, &id, &length, &err), &err) != nil {
		return fmt.Sprintf("no node %d", node)
	}
	return C.GoStringN(id, C.int(length))
}

// route asks router and snapshot, which must agree.
func (r *ring) route(k key) (string, error) {
	var node, same C.uint32_t
	err := C.empty_error()
	status := C.shardway_router_route_typed(r.router, &k.raw, &node, nil, &err)
	if again := C.shardway_snapshot_route_typed(r.snapshot, &k.raw, &same, nil, nil); again != status || same != node {
		return "", fmt.Errorf("router: %d, node %d; snapshot: %d, node %d", status, node, again, same)
	}
	return r.name(node), failed(status, &err)
}

func (r *ring) routeHash(hash uint64) (string, error) {
	var node C.uint32_t
	err := C.empty_error()
	status := C.shardway_router_route_hash(r.router, C.uint64_t(hash), &node, nil, &err)
	return r.name(node), failed(status, &err)
}

func (r *ring) hash(k key) (uint64, error) {
	var hash C.uint64_t
	err := C.empty_error()
	status := C.shardway_snapshot_hash_typed(r.snapshot, &k.raw, &hash, &err)
	return uint64(hash), failed(status, &err)
}

func (r *ring) explain(k key) (string, error) {
	var text *C.shardway_text_t
	err := C.empty_error()
	status := C.shardway_router_explain_typed(r.router, &k.raw, C.SHARDWAY_EXPLAIN_JSON, &text, &err)
	defer C.shardway_text_free(text)
	if status != C.SHARDWAY_OK {
		return "", failed(status, &err)
	}
	return C.GoStringN(C.shardway_text_data(text), C.int(C.shardway_text_length(text))), nil
}

func (r *ring) replicas(k key, n int) ([]string, error) {
	nodes := make([]C.uint32_t, n+1)
	var count C.size_t
	err := C.empty_error()
	status := C.shardway_router_replicas_typed(r.router, &k.raw, &nodes[0], C.size_t(n), &count, nil, &err)
	names := []string{}
	for _, node := range nodes[:count] {
		names = append(names, r.name(node))
	}
	return names, failed(status, &err)
}

// group is one group of a batch.
type group struct {
	node    string
	indices []int
}

func (r *ring) group(data []byte, offsets []uint32) ([]group, error) {
	var groups *C.shardway_groups_t
	err := C.empty_error()
	batch := C.CBytes(data)
	defer C.free(batch)
	status := C.shardway_router_group(r.router, batch, C.size_t(len(data)), (*C.uint32_t)(unsafe.Pointer(&offsets[0])),
		C.size_t(len(offsets)-1), &groups, &err)
	defer C.shardway_groups_free(groups)
	if status != C.SHARDWAY_OK {
		return nil, failed(status, &err)
	}
	count := int(C.shardway_groups_count(groups))
	if count == 0 {
		return []group{}, nil
	}
	nodes := unsafe.Slice(C.shardway_groups_nodes(groups), count)
	starts := unsafe.Slice(C.shardway_groups_offsets(groups), count+1)
	indices := unsafe.Slice(C.shardway_groups_indices(groups), int(C.shardway_groups_key_count(groups)))
	all := make([]group, count)
	for g := range all {
		all[g].node = r.name(nodes[g])
		for _, index := range indices[starts[g]:starts[g+1]] {
			all[g].indices = append(all[g].indices, int(index))
		}
	}
	return all, nil
}

func (r *ring) eject(id string, out bool) error {
	text := C.CString(id)
	defer C.free(unsafe.Pointer(text))
	var changed C.int32_t
	err := C.empty_error()
	var status C.shardway_status_t
	if out {
		status = C.shardway_router_eject(r.router, text, C.size_t(len(id)), &changed, &err)
	} else {
		status = C.shardway_router_revive(r.router, text, C.size_t(len(id)), &changed, &err)
	}
	if status != C.SHARDWAY_OK {
		return failed(status, &err)
	}
	return r.look()
}
