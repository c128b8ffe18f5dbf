package insight

import "github.com/mahabo/mahabo/space"

// Analysis is what the data of a study show.
type Analysis struct {
	Goal       string `json:"goal"`
	Points     int    `json:"points"`     // distinct points with values
	Used       int    `json:"used"`       // of them, those that the model knows
	Parameters int    `json:"parameters"` // that vary
	Dim        int    `json:"dim"`        // coordinates of the box

	Verdict     string       `json:"verdict"`   // whether few linear combinations explain the values, in a sentence
	Structure   Structure    `json:"structure"` // the same, for programs
	Scale       Scale        `json:"scale"`
	Best        *Best        `json:"best"`      // nil without observations
	Predictor   Model        `json:"predictor"` // behind importances, slices and calibration: the model that predicts best
	Evidence    []Evidence   `json:"evidence"`
	Directions  []Direction  `json:"directions"`  // none unless they are supported
	Importances []Importance `json:"importances"` // most important first
	GoodPoints  int          `json:"good_points"` // that span the good region
	Slices      []Slice      `json:"slices"`      // of the most important parameters
	Calibration *Calibration `json:"calibration"` // nil when there is no model
}

// Structure says whether few linear combinations explain the values.
type Structure string

// The structures.
const (
	LowDimensional Structure = "low-dimensional" // Directions are supported
	Unpredictable  Structure = "unpredictable"   // noise, or too few points to tell
	Unclear        Structure = "unclear"         // predictable, but directions are not reproducible yet
	FewParameters  Structure = "few-parameters"  // predictable, and a few parameters do it, each on its own axis
	ManyMatter     Structure = "many-matter"     // predictable, but no few directions dominate
	OneCoordinate  Structure = "one-coordinate"  // there are no combinations
	NoModel        Structure = "no-model"        // too few points, or equal values
)

// Scale is how the model sees the values.
type Scale string

// The scales.
const (
	Plain       Scale = "plain"
	Logarithmic Scale = "logarithmic" // of the distance from the best value
)

// Best is the best observed point.
type Best struct {
	ID     int          `json:"id"`
	Value  float64      `json:"value"` // the mean, when the point was observed several times
	Params space.Params `json:"params"`
}

// Evidence is how a model predicts values that it was not fitted to.
type Evidence struct {
	Model      Model   `json:"model"`
	Dimension  int     `json:"dimension"`           // directions, 0 for the other models
	LogDensity float64 `json:"log_density"`         // mean of a held-out value, on the model's scale
	Gain       float64 `json:"gain"`                // in log density, over the isotropic model
	GainStdErr float64 `json:"gain_std_err"`        // of the mean over the points
	R2         float64 `json:"r2"`                  // share of the variance predicted
	Share      float64 `json:"share,omitzero"`      // of the gradient energy, of all directions
	Agreement  float64 `json:"agreement,omitzero"`  // smallest cosine between the directions of two halves
	Chance     float64 `json:"chance,omitzero"`     // what it has to exceed
	Accuracy   float64 `json:"accuracy,omitzero"`   // of the least accurate direction
	Supported  bool    `json:"supported,omitempty"` // all conditions hold
}

// Model is what evidence is about.
type Model string

// The models.
const (
	Constant    Model = "constant"
	Isotropic   Model = "isotropic" // all directions alike
	Weights     Model = "weights"   // a weight for each parameter
	Directional Model = "directions"
)

// Direction is a linear combination of the parameters along which the value changes.
type Direction struct {
	Sentence string    `json:"sentence"` // "raise a while lowering b": the way to better values
	Share    float64   `json:"share"`    // of the gradient energy
	Accuracy float64   `json:"accuracy"` // estimated cosine with the true direction
	Active   float64   `json:"active"`   // effective number of coordinates, 1/sum of loading⁴
	Loadings []Loading `json:"loadings"` // largest first
	Response Response  `json:"response"`
}

// Loading is the part of a coordinate in a direction.
type Loading struct {
	Param  string  `json:"param"`
	Label  string  `json:"label,omitempty"` // of a choice: the label that the coordinate stands for
	Value  float64 `json:"value"`
	StdDev float64 `json:"std_dev"`
}

// Name is the parameter, or param=label.
func (l Loading) Name() string {
	if l.Label == "" {
		return l.Param
	}
	return l.Param + "=" + l.Label
}

// Importance is how much a parameter matters over all values that the parameters can have,
// and in the good region: the ranges that the best tenth of the points span.
type Importance struct {
	Param string `json:"param"`
	Effect
	Good  *Effect `json:"good"`  // nil where all good points have one value
	Range Range   `json:"range"` // of the good region
}

// Effect is a parameter's part in the variance of the values that the model predicts: Sobol
// indices of its mean. The deviations say how far those of functions drawn from the model
// are from it.
type Effect struct {
	Share       float64 `json:"share"` // of the variance that goes away with the parameter: total index
	StdDev      float64 `json:"std_dev"`
	Low         float64 `json:"low"` // nine of ten draws lie between
	High        float64 `json:"high"`
	Alone       float64 `json:"alone"` // of the variance that the parameter explains without the others: first-order index
	AloneStdDev float64 `json:"alone_std_dev"`
}

// Range is what a parameter may be in a region.
type Range struct {
	Numbers []float64 `json:"numbers,omitempty"` // the lowest and the highest
	Labels  []string  `json:"labels,omitempty"`
}

// Curve is the latent function along a line: median and 90 % interval.
type Curve struct {
	Median []float64 `json:"median"`
	Low    []float64 `json:"low"`
	High   []float64 `json:"high"`
}

// Response is the latent function on the line through the best point along a direction,
// clipped to the box.
type Response struct {
	At []float64 `json:"at"` // distance from the best point; to the right values improve on average
	Curve
	Seen []Seen `json:"seen"`
}

// Seen is an observation and its coordinate on the line.
type Seen struct {
	ID    int     `json:"id"`
	At    float64 `json:"at"`
	Value float64 `json:"value"`
}

// Slice is the latent function when one parameter of the best point changes, as far as
// linear constraints let it.
type Slice struct {
	Param  string    `json:"param"`
	Unit   string    `json:"unit,omitempty"`
	Log    bool      `json:"log,omitempty"`    // the parameter is searched on a logarithmic scale
	At     []float64 `json:"at,omitempty"`     // values of a numeric parameter
	Labels []string  `json:"labels,omitempty"` // of any other
	Best   int       `json:"best"`             // which of them is nearest to the best point's
	Curve
}

// Calibration compares values with predictions made without them.
type Calibration struct {
	Method     Method      `json:"method"`
	Verdict    string      `json:"verdict"`
	R2         float64     `json:"r2"`         // share of the variance predicted
	Coverage50 float64     `json:"coverage50"` // share of the values inside their 50 % interval
	Coverage90 float64     `json:"coverage90"`
	Spread     float64     `json:"spread"` // root mean square of the standardised residuals, ideally 1
	Points     []Predicted `json:"points"`
}

// Method is how the predictions of a calibration were made.
type Method string

// The methods.
const (
	LeaveOneOut Method = "leave-one-out" // hyperparameters fitted to all values
	HeldOut     Method = "five folds"    // directions and hyperparameters learned without them
)

// Predicted is an observation and its prediction: median, 90 % interval with noise, and
// the standardised residual on the model's scale.
type Predicted struct {
	ID       int     `json:"id"`
	Observed float64 `json:"observed"`
	Median   float64 `json:"median"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Residual float64 `json:"residual"`
}
