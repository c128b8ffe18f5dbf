package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("mahabo %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// release is the version of a release: -ldflags "-X main.release=v1.2.3".
var release string

// version is that of the release, else the module version the binary was built from, with
// the revision where the build knows it.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
