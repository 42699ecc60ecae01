import { Component, type ReactNode } from "react";

/** Confines a rendering error to its part of the page. */
export class FaultBoundary extends Component<
  { readonly children: ReactNode; readonly place: string; readonly title: string; readonly again: string },
  { readonly fault: string | undefined }
> {
  override state: { readonly fault: string | undefined } = { fault: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  /** Reset when this changes: another page may be fine. */
  override componentDidUpdate({ place }: { readonly place: string }) {
    if (place !== this.props.place && this.state.fault !== undefined) this.setState({ fault: undefined });
  }

  override render() {
    const { children, title, again } = this.props;
    const { fault } = this.state;
    if (fault === undefined) return children;
    return (
      <div role="alert" className="m-auto flex max-w-md flex-col items-center gap-3 p-6 text-center">
        <h1 className="text-lg font-semibold">{title}</h1>
        <p className="text-muted">{fault}</p>
        <button type="button" className="rounded-lg border border-line px-4 py-2" onClick={() => location.reload()}>
          {again}
        </button>
      </div>
    );
  }
}
