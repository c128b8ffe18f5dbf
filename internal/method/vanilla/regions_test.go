package vanilla

import (
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
)

func TestRegions(t *testing.T) { methodtest.Regions(t, Method()) }

func TestRegionElsewhere(t *testing.T) { methodtest.RegionElsewhere(t, Method()) }
