// Runs every conformance vector through the C ABI: `abi FOLDER`, FOLDER being tests/vectors. Prints how many answers were
// compared; exit code 1 on the first difference, on a kind that it does not know, and on a count that is not the
// manifest's.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
)

type keyForm struct {
	Text *string `json:"text"`
	Hex  *string `json:"hex"`
	I64  *string `json:"i64"`
	I32  *int64  `json:"i32"`
	Bool *bool   `json:"bool"`
	Hash *string `json:"hash"`
}

type step struct {
	Eject  string    `json:"eject"`
	Revive string    `json:"revive"`
	Owners []*string `json:"owners"`
}

type vector struct {
	Topology  json.RawMessage `json:"topology"`
	KeyHasher string          `json:"key_hasher"`
	Keys      []keyForm       `json:"keys"`
	Hashes    []string        `json:"hashes"`
	Points    []string        `json:"points"`
	Owners    json.RawMessage `json:"owners"`
	N         int             `json:"n"`
	Groups    []struct {
		Node    string `json:"node"`
		Indices []int  `json:"indices"`
	} `json:"groups"`
	Steps       []step `json:"steps"`
	Fingerprint string `json:"fingerprint"`
	Document    string `json:"document"`
	Code        string `json:"code"`
	Place       string `json:"place"`
}

// check ends the run when two things differ.
func check(what string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		stop(fmt.Errorf("%s: %v, expected %v", what, found, expected))
	}
}

func stop(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "abi:", err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	stop(err)
	return value
}

func number(text string) uint64 { return must(strconv.ParseUint(text, 10, 64)) }

func (form keyForm) key() key {
	switch {
	case form.Text != nil:
		return textKey(*form.Text)
	case form.Hex != nil:
		return bytesKey(must(hex.DecodeString(*form.Hex)))
	case form.I64 != nil:
		return longKey(must(strconv.ParseInt(*form.I64, 10, 64)))
	case form.I32 != nil:
		return intKey(*form.I32)
	case form.Bool != nil:
		return boolKey(*form.Bool)
	}
	stop(errors.New("a form of a key that is not known"))
	return key{}
}

func (v vector) open() (*ring, func()) {
	t := must(parse(string(v.Topology)))
	r := must(open(t))
	return r, func() { r.free(); t.free() }
}

// each calls a function for each key.
func (v vector) each(use func(index int, k key)) int {
	for index, form := range v.Keys {
		k := form.key()
		use(index, k)
		k.free()
	}
	return len(v.Keys)
}

func owners[T any](v vector) []T {
	var all []T
	stop(json.Unmarshal(v.Owners, &all))
	return all
}

var runners = map[string]func(vector) int{
	"hashes": func(v vector) int {
		t := must(parse(fmt.Sprintf(`{"format":1,"scheme":{"native":"ring-v1"},"key_hasher":%q,"nodes":[{"id":"a"}]}`, v.KeyHasher)))
		defer t.free()
		r := must(open(t))
		defer r.free()
		return v.each(func(index int, k key) { check(v.KeyHasher, must(r.hash(k)), number(v.Hashes[index])) })
	},
	"routes": func(v vector) int {
		r, free := v.open()
		defer free()
		expected := owners[string](v)
		for index, form := range v.Keys {
			if form.Hash != nil {
				check("owner", must(r.routeHash(number(*form.Hash))), expected[index])
				continue
			}
			k := form.key()
			check("owner", must(r.route(k)), expected[index])
			k.free()
		}
		return len(v.Keys)
	},
	"explain": func(v vector) int {
		r, free := v.open()
		defer free()
		expected := owners[string](v)
		return v.each(func(index int, k key) {
			var told struct {
				Hash  uint64 `json:"hash"`
				Point uint64 `json:"point"`
				Owner string `json:"owner"`
			}
			stop(json.Unmarshal([]byte(must(r.explain(k))), &told))
			check("hash", told.Hash, number(v.Hashes[index]))
			check("point", told.Point, number(v.Points[index]))
			check("owner", told.Owner, expected[index])
			check("owner", must(r.route(k)), expected[index])
		})
	},
	"replicas": func(v vector) int {
		r, free := v.open()
		defer free()
		expected := owners[[]string](v)
		return v.each(func(index int, k key) { check("owners", must(r.replicas(k, v.N)), expected[index]) })
	},
	"groups": func(v vector) int {
		r, free := v.open()
		defer free()
		data, offsets := []byte{}, []uint32{0}
		v.each(func(_ int, k key) {
			if k.isBytes() {
				data = append(data, k.bytes()...)
			} else {
				for shift := 56; shift >= 0; shift -= 8 {
					data = append(data, byte(uint64(k.number())>>shift))
				}
			}
			offsets = append(offsets, uint32(len(data)))
		})
		expected := []group{}
		for _, one := range v.Groups {
			expected = append(expected, group{one.Node, one.Indices})
		}
		check("groups", must(r.group(data, offsets)), expected)
		return max(len(v.Keys), 1)
	},
	"ejections": func(v vector) int {
		r, free := v.open()
		defer free()
		answers := 0
		for _, one := range v.Steps {
			if one.Eject != "" {
				stop(r.eject(one.Eject, true))
			} else {
				stop(r.eject(one.Revive, false))
			}
			answers += v.each(func(index int, k key) {
				owner, err := r.route(k)
				if one.Owners == nil { // nobody can own any key
					var known *failure
					if !errors.As(err, &known) || known.code != "ShardNotAvailable" {
						stop(fmt.Errorf("%s owns a key, and nobody could", owner))
					}
					return
				}
				stop(err)
				check("owner", owner, *one.Owners[index])
			})
		}
		return answers
	},
	"fingerprints": func(v vector) int {
		t := must(parse(string(v.Topology)))
		defer t.free()
		check("fingerprint", t.fingerprint(), v.Fingerprint)
		return 1
	},
	"errors": func(v vector) int {
		_, err := parse(v.Document)
		var known *failure
		if !errors.As(err, &known) {
			stop(fmt.Errorf("no error of the library for %.80s", v.Document))
		}
		check("code and place", []string{known.code, known.place}, []string{v.Code, v.Place})
		return 1
	},
}

func main() {
	folder := os.Args[1]
	var manifest struct {
		Files []struct {
			File, Kind string
			Answers    int
		}
	}
	stop(json.Unmarshal(must(os.ReadFile(filepath.Join(folder, "manifest.json"))), &manifest))
	files := must(filepath.Glob(filepath.Join(folder, "*.json")))
	check("files beside the manifest", len(files)-1, len(manifest.Files))
	total := 0
	for _, listed := range manifest.Files {
		var file struct {
			Kind  string
			Cases []vector
		}
		stop(json.Unmarshal(must(os.ReadFile(filepath.Join(folder, listed.File))), &file))
		check(listed.File+": kind", file.Kind, listed.Kind)
		run, known := runners[file.Kind]
		if !known {
			stop(fmt.Errorf("%s: unknown kind %q: teach it to this runner", listed.File, file.Kind))
		}
		answers := 0
		for _, one := range file.Cases {
			answers += run(one)
		}
		check(listed.File+": answers", answers, listed.Answers)
		total += answers
	}
	fmt.Printf("Go: %d passed, 0 failed\n", total)
}
