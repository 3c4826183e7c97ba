package report

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const printAll = "DESFECHO_TEST_PRINT_ALL"

// TestPrintEverything is the child of the test below.
func TestPrintEverything(t *testing.T) {
	if os.Getenv(printAll) == "" {
		return
	}
	d := fileDocument()
	d.Result.Divergences[0].Reason, d.Result.Divergences[0].Subject.IDs = "日本", []string{"é·─ of ambiguous width"}
	for _, format := range Formats() {
		fmt.Print(render(t, format, d, Options{Terminal: true, Width: 100}))
		fmt.Print(render(t, format, d, Options{}))
	}
}

func TestNoEnvironmentChangesAByte(t *testing.T) {
	t.Parallel()
	run := func(env ...string) string {
		child := exec.Command(os.Args[0], "-test.run=^TestPrintEverything$")
		child.Env = append(env, printAll+"=1")
		out, err := child.Output()
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(out), "PASS\n")
		return text
	}
	want := run()
	if len(want) < 5000 {
		t.Fatalf("the child printed %d bytes", len(want))
	}
	for _, env := range [][]string{
		{"TZ=Asia/Tokyo", "LANG=ja_JP.UTF-8"}, {"TZ=America/Sao_Paulo", "LC_ALL=pt_BR.UTF-8", "LANG=pt_BR"},
		{"LANG=tr_TR", "LC_ALL=tr_TR.UTF-8"}, {"LC_ALL=C"}, {"RUNEWIDTH_EASTASIAN=1", "LANG=zh_CN.UTF-8"}, {"NO_COLOR=1", "TERM=dumb", "COLUMNS=20"},
	} {
		if got := run(env...); got != want {
			t.Errorf("%v changes the report", env)
		}
	}
}
