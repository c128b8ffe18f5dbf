package adaptive

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/strategy"
)

// settings are all numbers of the method. Each is an option of its name: leaving a part out
// to see what it brings is a matter of settings.
type settings struct {
	Descents      int `option:"descents" meaning:"first descents where the function is rough; 0: 3 when 400 evaluations or more are meant, and as many parameters, else 1"`
	DescentLength int `option:"descent-length" meaning:"observations of a first descent after its design"`
	FarBudget     int `option:"far-budget" meaning:"observations meant from which on several descents and an ascent are worth their delay"`

	FrontLength int     `option:"front-length" meaning:"observations after which the highest of several fronts is given up"`
	Territory   float64 `option:"territory" meaning:"half-width of the box around a front that belongs to it"`

	Ascent       bool    `option:"ascent" meaning:"look for the highest value once, when the search for the lowest stands still"`
	StallLength  int     `option:"stall-length" meaning:"observations without progress after which the search stands still"`
	Progress     float64 `option:"progress" meaning:"share of all that was gained since the design that counts as progress"`
	AscentLength int     `option:"ascent-length" meaning:"observations of the ascent"`
	OtherLength  int     `option:"other-length" meaning:"observations around the point opposite to its end"`
	ReturnLength int     `option:"return-length" meaning:"observations that have to be left then for the search to go on"`

	MiddleFirst bool `option:"middle-first" meaning:"look at the middle of the box right after the design"`

	Log    bool    `option:"log" meaning:"model log(1 + u) of the outputs where the data ask for it"`
	Share  float64 `option:"design-share" meaning:"share of the distance from the lowest value to the median of the design that the unit of the outputs has at least"`
	Matern bool    `option:"matern" meaning:"use the Matérn-5/2 profile with more observations than parameters"`

	Theta           float64 `option:"theta" meaning:"median of the prior of theta, the rate of change of a function"`
	Noise           float64 `option:"noise" meaning:"median of the prior of the noise, relative to the variance of the function"`
	ThetaSpread     float64 `option:"theta-spread" meaning:"standard deviation of log theta with fewer observations than parameters"`
	NoiseSpread     float64 `option:"noise-spread" meaning:"standard deviation of the logarithm of the noise there"`
	ThetaSpreadMany float64 `option:"theta-spread-many" meaning:"standard deviation of log theta with more observations than parameters"`
	NoiseSpreadMany float64 `option:"noise-spread-many" meaning:"standard deviation of the logarithm of the noise there"`
	Rough           float64 `option:"rough" meaning:"correlation of two random points below which a function is rough"`

	LocalShare  float64 `option:"local-share" meaning:"share of the queries made by local models"`
	LocalTheta  float64 `option:"local-theta" meaning:"median of the prior of theta in a local model, times the mean squared difference of its coordinates"`
	LocalSpread float64 `option:"local-spread" meaning:"standard deviation of log theta in a local model"`
	Neighbours  int     `option:"neighbours" meaning:"most observations of a local model; 20 + 2D in few dimensions"`

	WeightShare  float64 `option:"weight-share" meaning:"most queries made by models with one weight for each parameter; 0: there are none"`
	WeightHedge  float64 `option:"weight-hedge" meaning:"their least share with more observations than parameters, unless they predict badly"`
	WeightsFrom  int     `option:"weights-from" meaning:"observations from which on there are weights; twice as many as parameters when these are few"`
	Lead         float64 `option:"lead" meaning:"lead in log density over the model without weights at which they get half of their share; less with fewer than 20 parameters"`
	Memory       float64 `option:"memory" meaning:"what is kept of a lead with each observation"`
	MostGain     float64 `option:"most-gain" meaning:"most that one observation counts"`
	WeightSpread float64 `option:"weight-spread" meaning:"standard deviation of the logarithm of a weight"`
	Sparsity     float64 `option:"sparsity" meaning:"how much smaller, as a logarithm, the median weight of the sparse models is"`
	WeightFloor  float64 `option:"weight-floor" meaning:"smallest weight, as a share of their mean"`
	FewShare     float64 `option:"few-share" meaning:"most queries made by models with weights when there are fewer than 20 parameters"`
	Screened     int     `option:"screened" meaning:"starts of a query with weights that are looked at"`

	WideFrom    int     `option:"wide-from" meaning:"open points, with those that are asked for, from which on queries are those of many workers"`
	TurnedShare float64 `option:"turned-share" meaning:"most of these queries made by models with directions of their own; 0: all are as with few workers"`

	CloudShare  float64 `option:"cloud-share" meaning:"largest share of them that is drawn around a common centre with more than 100 parameters and many evaluations; 0: none"`
	CloudSpread float64 `option:"cloud-spread" meaning:"standard deviation of points drawn around the centre"`
	CloudReach  float64 `option:"cloud-reach" meaning:"largest root mean square distance by which the centre moves"`

	NearShare float64 `option:"near-share" meaning:"share of the queries that stay in a box around the best point; 0: there are none"`
	NearReach float64 `option:"near-reach" meaning:"largest half-width of that box, 8 times the smallest"`

	Improvement float64 `option:"improvement" meaning:"share of the queries that maximise the expected improvement instead of a lower bound"`
	Starts      int     `option:"starts" meaning:"starts of a query, searched side by side"`
	Steps       int     `option:"steps" meaning:"gradient steps of a query"`
	NearMiddle  float64 `option:"middle" meaning:"standard deviation of the starts near the middle of the box"`
	Apart       float64 `option:"apart" meaning:"root mean square distance below which two points are the same"`
	Move        float64 `option:"move" meaning:"standard deviation by which such a point is moved"`

	ExactFits  int `option:"exact-fits" meaning:"below 2^this many observations every one makes a new fit"`
	MostFitted int `option:"most-fitted" meaning:"most observations of a fit"`
	MostModel  int `option:"most-model" meaning:"most observations of an exact model; beyond, a sparse one has them all"`
}

// defaults are what docs/TUNING.md found.
var defaults = settings{
	DescentLength: 50, FarBudget: 400,
	FrontLength: 90, Territory: 0.6,
	Ascent: true, StallLength: 30, Progress: 0.003, AscentLength: 150, OtherLength: 80, ReturnLength: 50,
	MiddleFirst: true, Log: true, Share: 0.3, Matern: true,
	Theta: 0.3, Noise: 1e-6, ThetaSpread: 2, NoiseSpread: 2, ThetaSpreadMany: 0.25, NoiseSpreadMany: 6, Rough: 0.25,
	LocalShare: 0.3, LocalTheta: 0.2, LocalSpread: 1, Neighbours: 100,
	WeightShare: 0.6, WeightHedge: 0.3, WeightsFrom: 20, Lead: 15, Memory: 0.98, MostGain: 3,
	WeightSpread: 3.5, Sparsity: 4, WeightFloor: 1e-4, FewShare: 0.95, Screened: 128,
	WideFrom: 9, TurnedShare: 0.8,
	CloudShare: 0.9, CloudSpread: 0.3, CloudReach: 0.07,
	NearShare: 0.8, NearReach: 0.8,
	Improvement: 0.5, Starts: 8, Steps: 20, NearMiddle: 0.3, Apart: 1e-4, Move: 0.03,
	ExactFits: 5, MostFitted: 600, MostModel: 3000,
}

// firstDescents is the number of first descents where several are worth their delay.
const firstDescents = 3

// betas are the weights of the standard deviation in lower bounds, one drawn per query.
var betas = [...]float64{0, 0.5, 1, 2, 3}

// without are the parts that can be left out by one word.
var without = map[string]func(*settings){
	"nothing": func(*settings) {},
	"log":     func(s *settings) { s.Log = false },
	"ei":      func(s *settings) { s.Improvement = 0 },
	"weights": func(s *settings) { s.WeightShare = 0 },
	"local":   func(s *settings) { s.LocalShare = 0 },
	"matern":  func(s *settings) { s.Matern = false },
	"ascent":  func(s *settings) { s.Ascent = false },
	"turned":  func(s *settings) { s.TurnedShare = 0 },
	"cloud":   func(s *settings) { s.CloudShare = 0 },
	"middle":  func(s *settings) { s.MiddleFirst = false },
	"near":    func(s *settings) { s.NearShare = 0 },
}

const parts = "nothing, log, ei, weights, local, matern, ascent, turned, cloud, middle, near"

// options describes the settings.
func options() []strategy.Option {
	list := []strategy.Option{{Key: "without", Default: "nothing", Meaning: "a part left out, to see what it brings: " + parts}}
	v := reflect.ValueOf(defaults)
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		list = append(list, strategy.Option{Key: tag.Get("option"), Default: fmt.Sprint(v.Field(i).Interface()), Meaning: tag.Get("meaning")})
	}
	return list
}

// read returns the settings that the options of a specification make.
func read(given strategy.Settings) (settings, error) {
	s := defaults
	if word, ok := given["without"]; ok {
		leave, known := without[word]
		if !known {
			return s, fmt.Errorf("option without is %q: choose one of %s", word, parts)
		}
		leave(&s)
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("option")
		text, ok := given[key]
		if !ok {
			continue
		}
		if err := set(v.Field(i), text); err != nil {
			return s, fmt.Errorf("option %s is %q: %w", key, text, err)
		}
	}
	return s, s.validate()
}

func set(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("write true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1_000_000 {
			return fmt.Errorf("write a whole number from 0 to 1000000")
		}
		v.SetInt(int64(n))
	default:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1e6) {
			return fmt.Errorf("write a number from 0 to 1e6")
		}
		v.SetFloat(f)
	}
	return nil
}

// validate names the first setting that no search can work with.
func (s settings) validate() error {
	var wrong []string
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f, key := v.Field(i), v.Type().Field(i).Tag.Get("option")
		switch key {
		case "descents", "progress", "near-share", "local-share", "improvement", "design-share", "rough", "return-length", "other-length", "weight-share", "weight-hedge", "lead", "sparsity", "weight-floor", "turned-share", "cloud-share":
			continue // 0 leaves the part out, or is a limit
		}
		if f.Kind() != reflect.Bool && f.IsZero() {
			wrong = append(wrong, key)
		}
	}
	switch {
	case len(wrong) > 0:
		return fmt.Errorf("option %s is 0: write a positive number", strings.Join(wrong, ", "))
	case s.MostFitted < fewFitted:
		return fmt.Errorf("option most-fitted is %d: write %d or more", s.MostFitted, fewFitted)
	case s.MostModel < fewModel:
		return fmt.Errorf("option most-model is %d: write %d or more", s.MostModel, fewModel)
	}
	return nil
}

// With fewer observations there would be none of some of the kinds that fits and sparse models have.
const (
	fewFitted = 16
	fewModel  = 48
)
