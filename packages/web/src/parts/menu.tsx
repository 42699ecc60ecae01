import * as Dropdown from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";

export interface MenuItem {
  readonly label: ReactNode;
  /** Absent if the item is a link. */
  readonly onSelect?: () => void;
  /** A page elsewhere, opened beside this one. */
  readonly href?: string;
  readonly isDisabled?: boolean;
  readonly isApart?: boolean;
}

/** Not modal: a modal one would write a style element into the page, which the content policy forbids. */
export function Menu({
  trigger,
  items,
  align = "start",
  isOpen,
  onOpenChange,
}: {
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: "start" | "end";
  /** For a menu that a key can open. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
}) {
  return (
    <Dropdown.Root modal={false} {...(isOpen !== undefined && { open: isOpen })} {...(onOpenChange && { onOpenChange })}>
      <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content className="menu" sideOffset={6} align={align} collisionPadding={8}>
          {items.map(({ label, onSelect, href, isDisabled = false, isApart = false }, nth) => [
            isApart && <Dropdown.Separator key={`line ${nth}`} className="my-1 h-px bg-line" />,
            <Dropdown.Item
              key={nth}
              className="menu-item"
              {...(onSelect && { onSelect })}
              disabled={isDisabled}
              asChild={href !== undefined}
            >
              {href === undefined ? (
                label
              ) : (
                <a href={href} target="_blank" rel="noopener noreferrer">
                  {label}
                </a>
              )}
            </Dropdown.Item>,
          ])}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}
