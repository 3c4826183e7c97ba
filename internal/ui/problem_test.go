package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestProblemIsTwoLinesWhateverItSays(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := Problem{Code: 5, Name: "moved", Message: "attempt a\n1 moved\ndesfecho: hint: pay", Hint: "look \x1b[1magain"}
	if err := p.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `desfecho: error: attempt a\n1 moved\ndesfecho: hint: pay` + "\n" + `desfecho: hint: look \x1b[1magain` + "\n"
	if out.String() != want {
		t.Errorf("got %q", out.String())
	}
}

func TestProblemAsJSONIsOneDocumentedObject(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := (Problem{Code: 5, Name: "moved", Message: "attempt 4711 \xff moved", Hint: "<look again>"}).PrintJSON(&out); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"kind":"error","code":5,"name":"moved","message":"attempt 4711 \\xff moved","hint":"<look again>"}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
	var back map[string]any
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["code"] != 5.0 {
		t.Errorf("%v, %v", back, err)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("an escape got through")
	}
}

func TestProblemSaysWhenItCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	if err := (Problem{Message: "x"}).Print(full); err == nil {
		t.Error("Print to a full disk succeeded")
	}
	if err := (Problem{Message: "x"}).PrintJSON(full); err == nil {
		t.Error("PrintJSON to a full disk succeeded")
	}
}

func TestBrokenPipeIsToldFromOtherFailures(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	_, err = w.Write([]byte("x"))
	_ = w.Close()
	if !BrokenPipe(err) {
		t.Errorf("%v is not seen as a broken pipe", err)
	}
	if BrokenPipe(io.ErrShortWrite) || BrokenPipe(nil) || BrokenPipe(errors.New("EPIPE")) {
		t.Error("another error is taken for a broken pipe")
	}
}
