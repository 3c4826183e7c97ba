package report

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var printTo = flag.String("print-to", "", "file for TestPrintEverything")

// TestPrintEverything is the child of the test below.
func TestPrintEverything(t *testing.T) {
	t.Parallel()
	if *printTo == "" {
		return
	}
	d := fileDocument()
	d.Result.Divergences[0].Reason, d.Result.Divergences[0].Subject.IDs = "日本", []string{"é·─ of ambiguous width"}
	all := ""
	for _, format := range Formats() {
		all += render(t, format, d, Options{Terminal: true, Width: 100}) + render(t, format, d, Options{})
	}
	if err := os.WriteFile(*printTo, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNoEnvironmentChangesAByte(t *testing.T) {
	t.Parallel()
	run := func(env ...string) string {
		path := filepath.Join(t.TempDir(), "out")
		child := exec.Command(os.Args[0], "-test.run=^TestPrintEverything$", "-print-to="+path)
		child.Env = env
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := run("LANG=C")
	for _, env := range [][]string{
		{"TZ=Asia/Tokyo", "LANG=ja_JP.UTF-8"},
		{"TZ=America/Sao_Paulo", "LC_ALL=pt_BR.UTF-8", "LANG=pt_BR"},
		{"LANG=tr_TR", "LC_ALL=tr_TR.UTF-8"},
		{"RUNEWIDTH_EASTASIAN=1", "LANG=zh_CN.UTF-8"},
		{"NO_COLOR=1", "TERM=dumb", "COLUMNS=20"},
	} {
		if got := run(env...); got != want {
			t.Errorf("%v changes the report", env)
		}
	}
}
