import { type TextareaHTMLAttributes, type Ref, useImperativeHandle, useLayoutEffect, useRef } from "react";

/** A text field that grows with its content, up to ten lines. */
export function GrowingField({
  ref,
  value,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly value: string; readonly ref?: Ref<HTMLTextAreaElement> }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => field.current as HTMLTextAreaElement);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 240)}px`;
  }, [value]);
  return <textarea rows={1} {...rest} ref={field} value={value} className={`field resize-none ${rest.className ?? ""}`} />;
}
