import { useLanguage, useTheme, useWords } from "../../state/appearance.ts";
import { useKept } from "../../state/kept.ts";
import type { Language } from "../../words.ts";
import { Line, Section } from "./section.tsx";
import { useNotifications } from "./use-notifications.ts";

/** What belongs to this browser. */
export function Appearance() {
  const words = useWords();
  const [theme, , setTheme] = useTheme();
  const [language, setLanguage] = useLanguage();
  const [advance, setAdvance] = useKept("autoAdvance");
  const [swapped, setSwapped] = useKept("enterBreaks");
  const { state, allow } = useNotifications();
  const themes = Object.entries(words.setup.themes);
  const languages = [["en", "English"] as const, ["zh", "中文"] as const];
  return (
    <Section title={words.setup.appearance}>
      <Select id="theme" label={words.setup.theme} value={theme} options={themes} onChange={setTheme} />
      <Select
        id="language"
        label={words.setup.language}
        value={language}
        options={languages}
        onChange={(value) => setLanguage(value as Language)}
      />
      <Switch
        id="advance"
        label={words.setup.autoAdvance}
        isOn={advance !== "off"}
        onChange={(isOn) => setAdvance(isOn ? undefined : "off")}
      />
      <Switch id="send-key" label={words.setup.sendKey} isOn={swapped === ""} onChange={(isOn) => setSwapped(isOn ? undefined : "yes")} />
      <Line>
        <span className="flex-1">{words.notify[state]}</span>
        {state === "offer" && (
          <button type="button" className="button" onClick={allow}>
            {words.notify.allow}
          </button>
        )}
      </Line>
    </Section>
  );
}

interface SelectProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

const Select = ({ id, label, value, options, onChange }: SelectProps) => (
  <Line>
    <label htmlFor={id} className="flex-1">
      {label}
    </label>
    <select id={id} className="field w-auto!" value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  </Line>
);

interface SwitchProps {
  readonly id: string;
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

const Switch = ({ id, label, isOn, onChange }: SwitchProps) => (
  <Line>
    <label htmlFor={id} className="flex-1">
      {label}
    </label>
    <input
      id={id}
      type="checkbox"
      className="h-4 w-4 accent-(--accent)"
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
    />
  </Line>
);
