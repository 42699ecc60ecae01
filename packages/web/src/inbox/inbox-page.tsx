import { NoticesView } from "../notices/notices-view.tsx";
import { InboxDetail } from "./inbox-detail.tsx";
import { InboxList } from "./inbox-list.tsx";
import { type InboxProps, useInbox } from "./use-inbox.ts";

/** Open questions of all projects; first the one that unblocks the most work. */
export function InboxPage(props: InboxProps) {
  const { questionId, noticeId, isPhone } = props;
  const inbox = useInbox(props);
  if (inbox.section === "notices") return <NoticesView noticeId={noticeId} isPhone={isPhone} onSection={inbox.openSection} />;
  return (
    <div className="flex h-full min-w-0 flex-1">
      {inbox.isListShown && <InboxList inbox={inbox} questionId={questionId} isPhone={isPhone} />}
      {(!isPhone || !inbox.isListShown) && <InboxDetail inbox={inbox} isPhone={isPhone} />}
    </div>
  );
}
