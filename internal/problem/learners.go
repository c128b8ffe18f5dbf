package problem

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

// Learners train something small, step by step, and report the loss on data that they do not train on. Data and
// random numbers are always the same: the loss is a function of the parameters.

// learnerSteps is how many steps a training has.
const learnerSteps = 81

// learner is a training.
type learner struct {
	name, description string
	cap               float64 // of the loss; a training that diverges has it
	parts             []space.Part
	begin             func(v space.Params, r *rand.Rand) (step func() (loss float64))
}

// problem makes the learner a problem that reports while it is evaluated.
func (l learner) problem() Problem {
	run := func(v space.Params, report func(step int64, loss float64) (stop bool)) (loss float64, stopped bool) {
		step := l.begin(v, rng.New(7, 0, rng.Purpose("learner")))
		for s := range int64(learnerSteps) {
			if loss = step(); !(loss < l.cap) {
				loss = l.cap
			}
			if report(s+1, loss) {
				return loss, true
			}
		}
		return loss, false
	}
	p := onSpace(l.name, l.description, math.NaN(), func(v space.Params) float64 {
		loss, _ := run(v, func(int64, float64) bool { return false })
		return loss
	}, l.parts...)
	p.Named = func(ctx context.Context, v space.Params) (Evaluation, error) {
		send := live.From(ctx)
		loss, stopped := run(v, func(step int64, loss float64) bool {
			return send != nil && send(ctx, []live.Report{{Step: step, Value: loss}}) != ""
		})
		if stopped {
			return Evaluation{Seen: evaluate.Outcome{State: evaluate.Stopped}}, nil
		}
		return Evaluation{Seen: evaluate.Value(loss), Value: loss}, nil
	}
	return p
}

// learners are the problems of this file.
func learners() []Problem {
	return []Problem{learnLogistic().problem(), learnNetwork().problem(), learnBoosted().problem(), learnKernel().problem(), learnFactors().problem()}
}

// sample draws rows of independent normal numbers.
func sample(r *rand.Rand, rows, columns int) [][]float64 {
	x := make([][]float64, rows)
	for i := range x {
		x[i] = make([]float64, columns)
		for j := range x[i] {
			x[i][j] = r.NormFloat64()
		}
	}
	return x
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// learnLogistic is a logistic regression by stochastic gradients with momentum.
func learnLogistic() learner {
	const n, dim = 300, 30
	r := rng.New(11, 0, rng.Purpose("logistic"))
	x := sample(r, 2*n, dim)
	truth := sample(r, 1, dim)[0]
	for j := 8; j < dim; j++ {
		truth[j] = 0 // of no use
	}
	y := make([]float64, 2*n)
	for i := range y {
		if r.Float64() < 1/(1+math.Exp(-1.5*inner(x[i], truth))) {
			y[i] = 1
		}
	}
	return learner{
		"learn-logistic", "validation loss of a logistic regression trained in 81 epochs", 5,
		[]space.Part{space.Log("rate", 1e-4, 10), space.Float("momentum", 0, 0.99), space.Log("l2", 1e-6, 1), space.LogInt("batch", 4, 256), space.Float("decay", 0, 1)},
		func(v space.Params, r *rand.Rand) func() float64 {
			rate, momentum, l2, batch, decay := v.Float("rate"), v.Float("momentum"), v.Float("l2"), v.Int("batch"), v.Float("decay")
			w, velocity, g := make([]float64, dim), make([]float64, dim), make([]float64, dim)
			epoch := 0.0
			return func() float64 {
				order := r.Perm(n)
				for from := 0; from < n; from += batch {
					part := order[from:min(n, from+batch)]
					for j := range g {
						g[j] = l2 * w[j]
					}
					for _, i := range part {
						d := (1/(1+math.Exp(-inner(x[i], w))) - y[i]) / float64(len(part))
						for j, xj := range x[i] {
							g[j] += d * xj
						}
					}
					for j := range w {
						velocity[j] = momentum*velocity[j] - rate/(1+decay*epoch)*g[j]
						w[j] += velocity[j]
					}
				}
				epoch++
				loss := 0.0
				for i := n; i < 2*n; i++ {
					z := inner(x[i], w)
					loss += (math.Log1p(math.Exp(-math.Abs(z))) + math.Max(z, 0) - y[i]*z) / n
				}
				return loss
			}
		},
	}
}

// learnNetwork is a network with one hidden layer.
func learnNetwork() learner {
	const n, dim, batch = 150, 4, 10
	r := rng.New(12, 0, rng.Purpose("network"))
	x := sample(r, 2*n, dim)
	y := make([]float64, 2*n)
	for i, row := range x {
		y[i] = math.Sin(2*row[0]) + 0.7*row[1]*row[2] + 0.1*r.NormFloat64()
	}
	return learner{
		"learn-network", "validation error of a network with a hidden layer trained in 81 epochs", 3,
		[]space.Part{
			space.Log("rate", 1e-4, 1), space.Float("momentum", 0, 0.98), space.LogInt("width", 2, 32), space.Log("l2", 1e-7, 1e-1), space.Log("scale", 0.1, 3),
			space.Choice("activation", "tanh", "relu"),
		},
		func(v space.Params, r *rand.Rand) func() float64 {
			width := v.Int("width")
			rate, momentum, l2, scale := v.Float("rate"), v.Float("momentum"), v.Float("l2"), v.Float("scale")
			kind, _ := v.Text("activation")
			first := sample(r, width, dim+1)
			for _, row := range first {
				for j := range row {
					row[j] *= scale / 2
				}
			}
			last := sample(r, 1, width+1)[0]
			for j := range last {
				last[j] *= scale / math.Sqrt(float64(width))
			}
			velocity, lastVelocity := make([][]float64, width), make([]float64, width+1)
			for k := range velocity {
				velocity[k] = make([]float64, dim+1)
			}
			hidden, slope := make([]float64, width), make([]float64, width)
			forward := func(row []float64) float64 {
				out := last[width]
				for k, w := range first {
					z := w[dim]
					for j := range row {
						z += w[j] * row[j]
					}
					if kind == "relu" {
						hidden[k], slope[k] = math.Max(0, z), 0
						if z > 0 {
							slope[k] = 1
						}
					} else {
						hidden[k] = math.Tanh(z)
						slope[k] = 1 - hidden[k]*hidden[k]
					}
					out += last[k] * hidden[k]
				}
				return out
			}
			return func() float64 {
				order := r.Perm(n)
				for from := 0; from < n; from += batch {
					for _, i := range order[from : from+batch] {
						d := (forward(x[i]) - y[i]) / batch
						for k, w := range first {
							e := d * last[k] * slope[k]
							for j := range dim {
								velocity[k][j] -= rate * (e*x[i][j] + l2*w[j]/batch)
							}
							velocity[k][dim] -= rate * e
							lastVelocity[k] -= rate * (d*hidden[k] + l2*last[k]/batch)
						}
						lastVelocity[width] -= rate * d
					}
					for k, w := range first {
						for j := range w {
							w[j] += velocity[k][j]
							velocity[k][j] *= momentum
						}
					}
					for k := range last {
						last[k] += lastVelocity[k]
						lastVelocity[k] *= momentum
					}
				}
				loss := 0.0
				for i := n; i < 2*n; i++ {
					e := forward(x[i]) - y[i]
					loss += e * e / n
				}
				return loss
			}
		},
	}
}

// learnBoosted is boosting of stumps, a stump a step, on Friedman's first function.
func learnBoosted() learner {
	const n, dim = 200, 10
	r := rng.New(13, 0, rng.Purpose("boosted"))
	x, y := make([][]float64, 2*n), make([]float64, 2*n)
	for i := range x {
		x[i] = make([]float64, dim)
		for j := range x[i] {
			x[i][j] = r.Float64()
		}
		y[i] = (10*math.Sin(math.Pi*x[i][0]*x[i][1]) + 20*(x[i][2]-0.5)*(x[i][2]-0.5) + 10*x[i][3] + 5*x[i][4] + r.NormFloat64()) / 5
	}
	order := make([][]int, dim) // of the rows, by each column
	for j := range order {
		order[j] = make([]int, n)
		for i := range n {
			order[j][i] = i
		}
		slices.SortFunc(order[j], func(a, b int) int {
			if x[a][j] < x[b][j] {
				return -1
			}
			return 1
		})
	}
	return learner{
		"learn-boosted", "validation error of 81 boosted stumps", 10,
		[]space.Part{space.Log("rate", 0.01, 2), space.Float("rows", 0.2, 1), space.Float("columns", 0.1, 1), space.LogInt("leaf", 1, 60), space.Log("l2", 1e-3, 100)},
		func(v space.Params, r *rand.Rand) func() float64 {
			rate, rows, columns, leaf, l2 := v.Float("rate"), v.Float("rows"), v.Float("columns"), v.Int("leaf"), v.Float("l2")
			f := make([]float64, 2*n)
			mean := 0.0
			for i := range n {
				mean += y[i] / n
			}
			for i := range f {
				f[i] = mean
			}
			return func() float64 {
				use := make([]bool, n)
				total, count := 0.0, 0
				for i := range n {
					if use[i] = r.Float64() < rows; use[i] {
						total += y[i] - f[i]
						count++
					}
				}
				gain, column, cut, left, right := -1.0, 0, 0.0, 0.0, 0.0
				for j := range dim {
					if r.Float64() >= columns {
						continue
					}
					sum, below := 0.0, 0
					for k, i := range order[j][:n-1] {
						if !use[i] {
							continue
						}
						sum += y[i] - f[i]
						below++
						if below < leaf || count-below < leaf {
							continue
						}
						a, b := sum/(float64(below)+l2), (total-sum)/(float64(count-below)+l2)
						if g := a*sum + b*(total-sum); g > gain {
							gain, column, cut, left, right = g, j, (x[i][j]+x[order[j][k+1]][j])/2, a, b
						}
					}
				}
				if gain >= 0 {
					for i := range f {
						if x[i][column] < cut {
							f[i] += rate * left
						} else {
							f[i] += rate * right
						}
					}
				}
				loss := 0.0
				for i := n; i < 2*n; i++ {
					loss += (y[i] - f[i]) * (y[i] - f[i]) / n
				}
				return loss
			}
		},
	}
}

// learnKernel is regression with a Gaussian kernel, a length for each input, by gradient steps.
func learnKernel() learner {
	const n, dim = 100, 6
	r := rng.New(14, 0, rng.Purpose("kernel"))
	x := sample(r, 2*n, dim)
	y := make([]float64, 2*n)
	for i, row := range x {
		y[i] = math.Sin(1.5*row[0]) + 0.5*math.Cos(row[1]) + 0.3*row[2] + 0.15*r.NormFloat64()
	}
	return learner{
		"learn-kernel", "validation error of a kernel regression with six lengths trained in 81 steps", 3,
		[]space.Part{space.Log("length[0:5]", 0.2, 20), space.Log("rate", 1e-3, 30), space.Float("momentum", 0, 0.95), space.Log("ridge", 1e-6, 1)},
		func(v space.Params, _ *rand.Rand) func() float64 {
			rate, momentum, ridge := v.Float("rate"), v.Float("momentum"), v.Float("ridge")
			scaled := make([][]float64, 2*n)
			lengths := []float64{v.Float("length0"), v.Float("length1"), v.Float("length2"), v.Float("length3"), v.Float("length4"), v.Float("length5")}
			for i, row := range x {
				scaled[i] = make([]float64, dim)
				for j := range row {
					scaled[i][j] = row[j] / lengths[j]
				}
			}
			k := make([][]float64, 2*n)
			for i := range k {
				k[i] = make([]float64, n)
				for j := range n {
					d := 0.0
					for c := range dim {
						e := scaled[i][c] - scaled[j][c]
						d += e * e
					}
					k[i][j] = math.Exp(-d / 2)
				}
			}
			a, velocity := make([]float64, n), make([]float64, n)
			return func() float64 {
				g := make([]float64, n)
				for i := range n {
					g[i] = (inner(k[i], a)-y[i])/n + ridge*a[i]
				}
				for i := range a {
					velocity[i] = momentum*velocity[i] - rate*g[i]
					a[i] += velocity[i]
				}
				loss := 0.0
				for i := n; i < 2*n; i++ {
					e := inner(k[i], a) - y[i]
					loss += e * e / n
				}
				return loss
			}
		},
	}
}

// learnFactors finds factors of a matrix of which a part is known.
func learnFactors() learner {
	const rows, columns, truth, n = 60, 50, 4, 900
	r := rng.New(15, 0, rng.Purpose("factors"))
	a, b := sample(r, rows, truth), sample(r, columns, truth)
	type cell struct {
		i, j  int
		value float64
	}
	cells := make([]cell, 0, n+n/2)
	for _, at := range r.Perm(rows * columns)[:n+n/2] {
		i, j := at/columns, at%columns
		cells = append(cells, cell{i, j, inner(a[i], b[j])/2 + 0.2*r.NormFloat64()})
	}
	return learner{
		"learn-factors", "validation error of the factors of a matrix trained in 81 epochs", 4,
		[]space.Part{space.LogInt("rank", 1, 24), space.Log("rate", 1e-4, 0.5), space.Log("l2", 1e-5, 1), space.Log("scale", 0.01, 1), space.Float("decay", 0, 0.3)},
		func(v space.Params, r *rand.Rand) func() float64 {
			rank, rate, l2, scale, decay := v.Int("rank"), v.Float("rate"), v.Float("l2"), v.Float("scale"), v.Float("decay")
			p, q := sample(r, rows, rank), sample(r, columns, rank)
			for _, list := range [][][]float64{p, q} {
				for _, row := range list {
					for j := range row {
						row[j] *= scale
					}
				}
			}
			epoch := 0.0
			return func() float64 {
				speed := rate / (1 + decay*epoch)
				epoch++
				for _, at := range r.Perm(n) {
					c := cells[at]
					pi, qj := p[c.i], q[c.j]
					e := c.value - inner(pi, qj)
					for k := range pi {
						pi[k], qj[k] = pi[k]+speed*(e*qj[k]-l2*pi[k]), qj[k]+speed*(e*pi[k]-l2*qj[k])
					}
				}
				loss := 0.0
				for _, c := range cells[n:] {
					e := c.value - inner(p[c.i], q[c.j])
					loss += e * e / (n / 2)
				}
				return loss
			}
		},
	}
}
