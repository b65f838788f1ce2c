package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/settings"
)

const configLong = `Config checks and shows the settings. They are read from one YAML file: that of --config, else
of $REPRISE_CONFIG, else reprise/config.yaml in the user's configuration directory. A flag
overrides the environment, which overrides the file. A setting section.key is
$REPRISE_SECTION_KEY in the environment, and browser.provider is $REPRISE_BROWSER.

A file holds no secrets: a key that looks like one is refused.`

func (a *app) configCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "config",
		Short: "Check the settings file, and show the settings that count",
		Long:  configLong,
		Example: `  reprise config check
  reprise config show --json`,
	}, a.configCheckCommand(), a.configShowCommand())
}

// checkedConfig is the result of config check.
type checkedConfig struct {
	File string `json:"file"` // "" where there is none
}

func (a *app) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the settings file",
		Long: `Check reads the settings and prints everything that is wrong with them, each with its path, line
and column. It ends with 2 if something is.`,
		Example: `  reprise config check
  reprise config check --config ./config.yaml --json`,
		Args: exactly(),
		RunE: a.run(func(*cobra.Command, []string) error {
			return a.result(checkedConfig{a.config.File}, func(render.Style) string {
				if a.config.File == "" {
					return "There is no settings file; the defaults and the environment are valid.\n"
				}
				return a.config.File + " is valid.\n"
			})
		}),
	}
}

// shownConfig is the result of config show.
type shownConfig struct {
	File     string           `json:"file"` // "" where there is none
	Settings []settings.Shown `json:"settings"`
}

func (a *app) configShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the settings that count, and where each comes from",
		Long: `Show prints every setting with its value and its source: a flag, the environment, the file or the
default. Of addresses it leaves out what may be secret.`,
		Example: `  reprise config show
  reprise config show --browser http://localhost:9222 --json`,
		Args: exactly(),
		RunE: a.run(func(*cobra.Command, []string) error {
			return a.result(shownConfig{a.config.File, a.config.List()}, func(s render.Style) string { return showConfig(s, a.config) })
		}),
	}
	a.emulationFlags(cmd)
	return cmd
}

func showConfig(style render.Style, c *settings.Settings) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range c.List() {
		value := fmt.Sprint(s.Value)
		if list, is := s.Value.([]string); is {
			value = strings.Join(list, ", ")
		}
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Path, value, style.Dim(sourceOf(s.Origin, c.File)))
	}
	_ = w.Flush() // into memory
	return b.String()
}

// sourceOf names where a setting comes from.
func sourceOf(o settings.Origin, file string) string {
	switch o.Source {
	case settings.FromFlag:
		return o.Name
	case settings.FromEnv:
		return "$" + o.Name
	case settings.FromFile:
		return fmt.Sprintf("%s:%d", file, o.Line)
	}
	return string(o.Source)
}

// readSettings reads the settings of this command line. Those before stay where they are not
// valid.
func (a *app) readSettings() error {
	given := a.set
	if a.browser != "" {
		given = append(given, settings.Flag{Path: "browser.provider", Name: "--browser", Text: a.browser})
	}
	read, err := settings.Load(&settings.Options{File: a.configFile, Flags: given})
	if err == nil {
		a.config = read
	}
	return err
}

// settingFlag is a flag that sets a setting.
type settingFlag struct {
	app        *app
	path, name string
}

// addSettingFlag adds a flag to a command that sets a setting. Usage does not say the
// default.
func (a *app) addSettingFlag(f *pflag.FlagSet, path, name, usage string) {
	f.Var(&settingFlag{a, path, name}, name, usage+" (default: "+path+" of the settings)")
}

// addSettingSwitch is addSettingFlag for a setting that is true or false.
func (a *app) addSettingSwitch(f *pflag.FlagSet, path, name, usage string) {
	f.Var(settingSwitch{&settingFlag{a, path, name}}, name, usage+" (default: "+path+" of the settings)")
	f.Lookup(name).NoOptDefVal = "true"
}

// settingSwitch needs no value.
type settingSwitch struct{ *settingFlag }

func (settingSwitch) Type() string { return "bool" }

func (v *settingFlag) Set(text string) error {
	v.app.set = append(v.app.set, settings.Flag{Path: v.path, Name: "--" + v.name, Text: text})
	return nil
}

func (v *settingFlag) String() string { return "" }
func (v *settingFlag) Type() string   { return "string" }
