// Package wire has the parts that requests and answers of the HTTP API share. They are embedded in others,
// and what reads them by reflection wants exported names.
package wire

import "time"

// StudyPath is the part of a path that names a study.
type StudyPath struct {
	Study string `path:"study" maxLength:"128" doc:"Name of the study." example:"rig"`
}

// TrialPath is the part of a path that names a trial.
type TrialPath struct {
	StudyPath
	Number int `path:"number" minimum:"1" doc:"Number of the trial." example:"1"`
}

// StudyOptions are what can be said of a study without its parameters.
type StudyOptions struct {
	Name   string `json:"name" maxLength:"128" doc:"Letters, digits and -_. with a letter or digit first." example:"rig"`
	Method string `json:"method,omitempty" maxLength:"200" doc:"A method with its options, name:key=value,...; adaptive when it is left out. GET /v1/methods lists them." example:"adaptive"`
	Goal   string `json:"goal,omitempty" enum:"minimize,maximize" doc:"Which values are better; minimize when it is left out."`
	Seed   uint64 `json:"seed,omitempty" maximum:"9007199254740991" doc:"Of the method's random numbers."`
	Init   int    `json:"init,omitempty" minimum:"1" maximum:"10000" doc:"Points of the initial design; 10 when it is left out."`
	Batch  int    `json:"batch,omitempty" minimum:"1" maximum:"1000" doc:"Trials that an ask without a count gets; 1 when it is left out."`
	Budget int    `json:"budget,omitempty" minimum:"1" maximum:"1000000000" doc:"Trials that are meant in all, if it is known: the method plans for them."`

	Stop    string  `json:"stop,omitempty" maxLength:"200" doc:"Rule that ends trials early, by what they report while they run: gain, asha, median or curve, with options as name:key=value,... None when it is left out." example:"gain"`
	Cost    string  `json:"cost,omitempty" enum:"aware" doc:"aware: points are chosen for what they are expected to bring beside what they cost, which trials tell, or else the time that they take."`
	MaxCost float64 `json:"max_cost,omitempty" minimum:"0" doc:"Cost of all trials that is meant, if it is known: towards it cost counts less and less."`
}

// StudyProgress is how far a study is.
type StudyProgress struct {
	Created time.Time      `json:"created"`
	Trials  int            `json:"trials"`
	States  map[string]int `json:"states" doc:"How many trials are in a state, without those that none is in."`
	Batches int            `json:"batches"`
	Spent   float64        `json:"spent,omitempty" doc:"Cost of all trials: what they told, or else the seconds that they took."`
}
