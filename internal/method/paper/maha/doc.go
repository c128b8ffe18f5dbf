// Package maha is Maha-BO, its two-step variants and its relative with a plain kernel, rbf.
package maha
