package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mahabo/mahabo/study"
)

// small has limits that a short file exceeds.
func small() limits {
	return limits{bytes: 1 << 20, rows: 10, columns: 5, cells: 30, cell: 100, line: 2000}
}

// refused imports a file and checks that it is refused for the reason, that the study stays
// empty, and that the memory it took along the way was within some megabytes.
func refused(t *testing.T, file io.Reader, o Options, l limits, megabytes uint64, want string) {
	t.Helper()
	s, _ := begin(t, study.Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := load(t.Context(), s, file, o, l)
	runtime.ReadMemStats(&after)
	var request *study.RequestError
	if !errors.As(err, &request) || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > megabytes {
		t.Errorf("it took %d MiB, want at most %d", took, megabytes)
	}
	if n := len(trials(t, s)); n != 0 {
		t.Errorf("there are %d trials", n)
	}
}

// endless repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func TestLimits(t *testing.T) {
	jsonl := func(n int, format string) string { return strings.Repeat(format+"\n", n) }
	for _, c := range []struct {
		name   string
		file   string
		format Format
		want   string
	}{
		{"rows", "x,value\n" + strings.Repeat("1,2\n", 11), CSV, "more than 10 rows: divide it"},
		{"bad rows", "x,value\n" + strings.Repeat("1\n", 11), CSV, "more than 10 rows"},
		{"broken rows", "x,value\n" + strings.Repeat("1\",\n", 11), CSV, "more than 10 rows"},
		{"columns", "x,value,a,b,c,d\n", CSV, "more than 5 columns: leave out"},
		{"columns of a row", "x,value\n1,2,3,4,5,6\n", CSV, "more than 5 columns"},
		{"columns by semicolons", "x;value;a;b;c;d\n", CSV, "more than 5 columns"},
		{"cells", "x,value,a,b\n" + strings.Repeat("1,2,3,4\n", 8), CSV, "more than 30 cells: leave out columns"},
		{"cell", "x,value\n" + strings.Repeat("1", 101) + ",2\n", CSV, "line 2: a cell has more than 100 bytes"},
		{"quoted cell", "x,value\n1,2\n\"" + strings.Repeat("1", 101) + "\",2\n", CSV, "line 3: a cell has more than 100 bytes"},
		{"open quote", "x,value\n1,\"2\n" + strings.Repeat("1,2\n", 200), CSV, "a quotation mark is missing"},
		{"name", strings.Repeat("x", 101) + ",value\n", CSV, "line 1: a cell has more than 100 bytes"},
		{"rows", jsonl(11, `{"x":1,"value":2}`), JSONL, "more than 10 rows"},
		{"bad rows", jsonl(11, `[1]`), JSONL, "more than 10 rows"},
		{"columns", `{"x":1,"value":2,"a":1,"b":1,"c":1,"d":1}`, JSONL, "more than 5 columns"},
		{"columns in params", `{"params":{"x":1,"a":1,"b":1,"c":1},"value":2}`, JSONL, "more than 5 columns"},
		{"cells", jsonl(8, `{"x":1,"value":2,"a":1,"b":2}`), JSONL, "more than 30 cells"},
		{"cell", `{"x":1,"value":2,"a":[` + strings.Repeat("1,", 60) + `1]}`, JSONL, "line 1: a cell has more than 100 bytes"},
		{"cell in params", `{"params":{"x":"` + strings.Repeat("1", 101) + `"},"value":2}`, JSONL, "line 1: a cell has more than 100 bytes"},
		{"line", `{"x":1,"value":2,"a":"` + strings.Repeat("1", 2000) + `"}`, JSONL, "line 1 has more than"},
	} {
		t.Run(string(c.format)+" "+c.name, func(t *testing.T) {
			refused(t, strings.NewReader(c.file), Options{Format: c.format}, small(), 10, c.want)
		})
	}
	for _, f := range []Format{CSV, JSONL, Parquet} {
		t.Run("endless "+string(f), func(t *testing.T) {
			refused(t, endless("\x00"), Options{Format: f}, small(), 20, "more than 1 MiB: divide it")
		})
	}
}

// A file of commas alone must not become cells first.
func TestCommas(t *testing.T) {
	for _, sign := range []string{",", ";", `"",`} {
		refused(t, strings.NewReader(strings.Repeat(sign, 30<<20/len(sign))), Options{Format: CSV}, standard(), 250, "more than 200000 columns")
	}
}

func TestManyRows(t *testing.T) {
	refused(t, strings.NewReader("x,value\n"+strings.Repeat("1,2\n", study.MostRows+1)), Options{Format: CSV}, standard(), 250, "more than 100000 rows")
	refused(t, strings.NewReader(strings.Repeat(`{"x":1,"value":2}`+"\n", study.MostRows+1)), Options{Format: JSONL}, standard(), 1500, "more than 100000 rows")
}

// foreignRow is a row of a file that another program wrote.
type foreignRow struct {
	X      float64 `parquet:"x,dict,zstd"`
	Value  float64 `parquet:"value,dict,zstd"`
	Reason string  `parquet:"reason,dict,zstd"`
	Note   string  `parquet:"notes,zstd"`
}

func parquetFile(t testing.TB, rows ...foreignRow) []byte {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[foreignRow](&file, parquet.SkipPageBounds("notes"), parquet.SkipPageBounds("reason"), parquet.DataPageStatistics(false))
	_, err := w.Write(rows)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// describe changes the description at the end of a Parquet file.
func describe(t testing.TB, file []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	end := len(file) - 8
	begin := end - int(binary.LittleEndian.Uint32(file[end:]))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, file[begin:end], &meta); err != nil {
		t.Fatal(err)
	}
	change(&meta)
	text, err := thrift.Marshal(&thrift.CompactProtocol{}, &meta)
	if err != nil {
		t.Fatal(err)
	}
	return footed(file[:begin], text)
}

// footed ends a Parquet file with a description.
func footed(pages, text []byte) []byte {
	file := append(bytes.Clone(pages), text...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(text))), magic...)
}

func TestParquetLimits(t *testing.T) {
	long := strings.Repeat("a", 32<<20)
	medium := strings.Repeat("b", 1<<20)
	many := make([]foreignRow, 400)
	for i := range many {
		many[i].Reason = medium
	}
	good := parquetFile(t, foreignRow{X: 1, Value: 2}, foreignRow{X: 2, Value: 3})
	tight := standard()
	tight.bytes, tight.cell = 40<<20, 40<<20
	for _, c := range []struct {
		name      string
		file      []byte
		limits    limits
		megabytes uint64
		want      string
	}{
		{"rows", parquetFile(t, make([]foreignRow, 2*study.MostRows)...), standard(), 20, "more than 100000 rows"},
		{"a long text", parquetFile(t, foreignRow{Note: long}), standard(), 600, "line 1: a cell has more than 1048576 bytes"},
		{"a text in many rows", parquetFile(t, many...), standard(), 1000, "more than 256 MiB"},
		{"pages that unpack", parquetFile(t, foreignRow{Note: long}, foreignRow{Note: long}), tight, 20, "more than 40 MiB"},
		{"columns", good, limits{bytes: 1 << 20, rows: 10, columns: 3, cells: 30, cell: 100}, 5, "more than 3 columns"},
		{"cells", good, limits{bytes: 1 << 20, rows: 10, columns: 5, cells: 7, cell: 100}, 5, "more than 7 cells"},
		{"stated rows", describe(t, good, func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 << 60 }), standard(), 5, "more than 100000 rows"},
		{"fewer rows stated", describe(t, good, func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 }), standard(), 5, "a page is broken"},
		{"nested", describe(t, good, func(m *format.FileMetaData) { m.Schema[1].NumChildren = thrift.New(int32(1)) }), standard(), 5, "is nested: write a flat table"},
		{"lists", describe(t, good, func(m *format.FileMetaData) { m.Schema[1].RepetitionType = thrift.New(format.Repeated) }), standard(), 5, "is nested: write a flat table"},
		{"a list without end", footed([]byte(magic), []byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0}), standard(), 5, "description is broken"},
		{"a text without end", footed([]byte(magic), []byte{0x68, 0xff, 0xff, 0xff, 0xff, 0x07, 0}), standard(), 5, "description is broken"},
		{"depth without end", footed([]byte(magic), bytes.Repeat([]byte{0x1c}, 1<<20)), standard(), 5, "description is broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.file) > 2<<20 {
				t.Fatalf("the file has %d bytes: it proves nothing", len(c.file))
			}
			refused(t, bytes.NewReader(c.file), Options{Format: Parquet}, c.limits, c.megabytes, c.want)
		})
	}
}

// A page that unpacks to another size than it states is found before it has.
func TestUnpack(t *testing.T) {
	page := bytes.Repeat([]byte("a"), 32<<20)
	for _, codec := range []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw} {
		packed := page
		if codec != format.Uncompressed {
			var err error
			if packed, err = parquet.LookupCompressionCodec(codec).Encode(nil, page); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := unpack(codec, packed, len(page)); err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s: unpacking gave %d bytes, %v", codec, len(got), err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, size := range []int{0, 1000} {
			if _, err := unpack(codec, packed, size); !errors.Is(err, errSize) {
				t.Errorf("%s: unpacking to %d bytes gave %v", codec, size, err)
			}
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 24 {
			t.Errorf("%s: it took %d MiB", codec, took)
		}
		if _, err := unpack(codec, packed[:len(packed)/2], len(page)); err == nil {
			t.Errorf("%s: half a page was unpacked", codec)
		}
	}
	if _, err := unpack(format.LZO, []byte("x"), 1); err == nil || !strings.Contains(err.Error(), "snappy, gzip or zstd") {
		t.Errorf("an unknown compression gave %v", err)
	}
}

func TestCheckValues(t *testing.T) {
	number := func(v ...uint64) (b []byte) {
		for _, n := range v {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	for _, c := range []struct {
		name     string
		encoding format.Encoding
		data     []byte
		good     bool
	}{
		{"a run", format.RLEDictionary, append([]byte{1}, number(100<<1, 1)...), true},
		{"a long run", format.RLEDictionary, append([]byte{1}, number(1<<31<<1, 1)...), false},
		{"long runs", format.RLEDictionary, append([]byte{1}, number(1000<<1, 1, 1000<<1, 1)...), false},
		{"eights", format.RLEDictionary, append([]byte{1}, number(2<<1|1, 7, 7)...), true},
		{"many eights", format.RLEDictionary, append([]byte{0}, number(1<<62|1)...), false},
		{"wide", format.RLEDictionary, append([]byte{33}, number(1<<1, 1)...), false},
		{"a run of truths", format.RLE, append([]byte{2, 0, 0, 0}, number(10<<1, 1)...), true},
		{"a long run of truths", format.RLE, append([]byte{6, 0, 0, 0}, number(1<<31<<1, 1)...), false},
		{"truths without end", format.RLE, []byte{255, 255, 255, 255, 1}, false},
		{"deltas", format.DeltaBinaryPacked, number(128, 4, 100, 0), true},
		{"many deltas", format.DeltaBinaryPacked, number(128, 4, 1<<31, 0), false},
		{"many lengths", format.DeltaLengthByteArray, number(128, 4, 101, 0), false},
		{"shared beginnings", format.DeltaByteArray, number(128, 4, 1, 0), false},
		{"plain", format.Plain, make([]byte, 800), true},
		{"nothing", format.DeltaBinaryPacked, nil, true},
	} {
		if err := checkValues(c.encoding, c.data, 100); (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// An import ends soon after its context, wherever it is.
func TestImportStops(t *testing.T) {
	files := map[Format][]byte{
		CSV:     []byte("x,value\n" + strings.Repeat("1,2\n", 1000)),
		JSONL:   []byte(strings.Repeat(`{"x":1,"value":2}`+"\n", 1000)),
		Parquet: parquetFile(t, make([]foreignRow, 1000)...),
	}
	for f, file := range files {
		s, _ := begin(t, study.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		heard := 0
		o := Options{Format: f, Progress: func(done, total int) {
			if heard++; heard == 3 {
				cancel()
			}
			if done < 1 || done > 1001 || total < 1000 || total > 1001 {
				t.Errorf("%s: %d of %d lines are read", f, done, total)
			}
		}}
		if _, err := Import(ctx, s, bytes.NewReader(file), o); !errors.Is(err, context.Canceled) || heard != 3 {
			t.Errorf("%s: the error is %v after %d rows", f, err, heard)
		}
		if _, err := Import(ctx, s, endless("1"), o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: reading gave %v", f, err)
		}
		if n := len(trials(t, s)); n != 0 {
			t.Errorf("%s: there are %d trials", f, n)
		}
	}
}

// What an error quotes is bounded, so that many bad rows are.
func TestLongErrors(t *testing.T) {
	s, _ := begin(t, study.Config{})
	file := fmt.Sprintf("x,value\n%s,1\n", strings.Repeat("ä", 5000))
	report, err := Import(t.Context(), s, strings.NewReader(file), Options{Format: CSV})
	if err != nil || len(report.Bad) != 1 || len(report.Bad[0].Error()) > 1100 {
		t.Errorf("the report is %v, %v", report, err)
	}
}
