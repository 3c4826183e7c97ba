//go:build planted

package resolve

// planted is the one bug that this build has; set by the linker:
//
//	go test -tags planted -ldflags '-X desfecho/resolve.planted=ignore_sibling' ./resolve/...
var planted string

func bug(b plantedBug) bool { return string(b) == planted }
