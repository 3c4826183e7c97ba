package partition

import (
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Every field of every row that goes through a file comes back, also those
// that are added one day.
func TestNoFieldIsForgotten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		through(t, r, (*codec).attempt)
		through(t, r, (*codec).line)
		through(t, r, (*codec).unit)
		through(t, r, (*codec).lookup)
		through(t, r, (*codec).event)
		through(t, r, (*codec).charge)
		through(t, r, (*codec).dismissal)
	}
}

func through[T any](t *testing.T, r *rand.Rand, row func(*codec, *T)) {
	t.Helper()
	var want, got T
	set(r, reflect.ValueOf(&want).Elem())
	out := codec{}
	row(&out, &want)
	in := codec{reading: true, text: string(out.bytes)}
	row(&in, &got)
	if diff := gocmp.Diff(want, got); diff != "" || in.short || in.text != "" {
		t.Fatalf("%T (-written +read), %d bytes left:\n%s", want, len(in.text), diff)
	}
	for n := range out.bytes { // what was cut off is told, not made up
		cut := codec{reading: true, text: string(out.bytes[:n])}
		row(&cut, new(T))
		if !cut.short {
			t.Fatalf("%T reads from %d of %d bytes", want, n, len(out.bytes))
		}
	}
}

// set gives every field a value that is not its zero.
func set(r *rand.Rand, v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // what rows are made of
	case reflect.Struct:
		for i := range v.NumField() {
			set(r, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			set(r, v.Index(i))
		}
	case reflect.String:
		v.SetString(string([]byte{byte(1 + r.IntN(255)), 'x', byte(r.IntN(256))}))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		for v.Int() == 0 {
			v.SetInt(r.Int64() << r.IntN(8) >> r.IntN(60) * int64(1-2*r.IntN(2)) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		for v.Uint() == 0 {
			v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

// A full disk is told as what it is.
func TestAFullDiskIsTold(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{Memory: 1})
	r.rows.file = full
	for i := 0; i < 10_000 && err == nil; i++ {
		err = r.Line(int64(i), &payment.Line{ID: "l"}, 0, true)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A file that somebody changed is an error, not another result.
func TestAChangedFileIsTold(t *testing.T) {
	t.Parallel()
	r := New(Options{})
	defer r.Close()
	for i := range 200 {
		if err := r.Line(int64(i), &payment.Line{ID: "l", Raw: "raw"}, 0, true); err != nil {
			t.Fatal(err)
		}
	}
	r.written.last[2] = 0x7f
	if err := r.Parts(1, 1, func(reconcile.Part) error { return nil }); !errors.Is(err, errShort) {
		t.Errorf("got %v", err)
	}
}

// Neither of two rows with one id is lost; one row that was read twice is one.
func TestTwoRowsOfOneIDAreTold(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"k1": false, "k2": true} {
		r := New(Options{})
		for i, a := range []payment.Attempt{{ID: "1", Key: "k1"}, {ID: "2", Key: "k1"}, {ID: "1", Key: key}} {
			if err := r.Attempt(&a); err != nil {
				t.Fatal(i, err)
			}
		}
		attempts := 0
		err := r.Parts(1, 1, func(p reconcile.Part) error { attempts += len(p.Attempts); return nil })
		if told, ok := errors.AsType[*TwoRowsError](err); ok != want || ok && told.ID != "1" || !ok && (err != nil || attempts != 2) {
			t.Errorf("beside a row with the key %s: %d attempts, %v", key, attempts, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
