package problem

const (
	obstacleHalfWidth = 0.025
	costFree          = 0.05
	costBlocked       = 20.05 // in an obstacle or outside [0,1)^2

	gridCells = 32 // cells a side; a power of two, so that x*gridCells is exact
)

// square is [x0,x1) x [y0,y1).
type square struct{ x0, y0, x1, y1 float64 }

// terrain answers in O(1) whether a place is blocked: each cell of a grid over
// [0,1)^2 lists the obstacles that touch it.
type terrain struct {
	first   [gridCells*gridCells + 1]uint16 // cell k lists squares[first[k]:first[k+1]]
	squares []square
}

func newTerrain() *terrain {
	var cells [gridCells * gridCells][]square
	for _, c := range roverObstacles {
		s := square{c[0] - obstacleHalfWidth, c[1] - obstacleHalfWidth, c[0] + obstacleHalfWidth, c[1] + obstacleHalfWidth}
		for i := cell(s.y0); i <= cell(s.y1); i++ {
			for j := cell(s.x0); j <= cell(s.x1); j++ {
				cells[i*gridCells+j] = append(cells[i*gridCells+j], s)
			}
		}
	}
	t := new(terrain)
	for k, list := range cells {
		t.squares = append(t.squares, list...)
		t.first[k+1] = uint16(len(t.squares))
	}
	return t
}

// cell returns the row or column of a coordinate; those outside count to the border.
func cell(v float64) int { return min(max(int(v*gridCells), 0), gridCells-1) }

// cost returns the cost of a step at (x,y); NaN counts as outside.
func (t *terrain) cost(x, y float64) float64 {
	if !(x >= 0 && x < 1 && y >= 0 && y < 1) {
		return costBlocked
	}
	k := int(y*gridCells)*gridCells + int(x*gridCells)
	for _, s := range t.squares[t.first[k]:t.first[k+1]] {
		if x >= s.x0 && x < s.x1 && y >= s.y0 && y < s.y1 {
			return costBlocked
		}
	}
	return costFree
}
