//go:build planted

package planted

// chosen is the one bug that this build has; set by the linker:
//
//	go test -tags planted -ldflags '-X desfecho/internal/planted.chosen=drop_status' ./internal/store/sqlite
var chosen string

// In tells whether a bug is planted.
func In(b Bug) bool { return string(b) == chosen }
