import { CONFLICT, FENCED } from "./faults.ts";

/**
 * `MIGRATIONS[n]` upgrades version n to n + 1; released ones are never edited. Each runs in a transaction, with the project's schema as
 * search path, under a lock: any process may run it.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row. Every batch locks it first: one order for all, and \`pos\` without gaps.
  create table project (id uuid not null, pos bigint not null);
  insert into project values (gen_random_uuid(), 0);

  -- One row per node: a process that has the project open. Its session holds the advisory lock \`lock\`; \`until\` is its lease. A node that
  -- has ended writes no more. \`batch\` and \`pos\`: its last batch of commits and the first \`pos\` of it, so that a batch is sent again
  -- after a lost connection and committed once.
  create table nodes (
    id text primary key, lock bigint not null, host text not null, pid int not null, url text, place text not null,
    since timestamptz not null default now(), until timestamptz not null, ended timestamptz,
    batch bigint not null default 0, pos bigint not null default 0
  ) with (fillfactor = 50);

  -- \`owner\`: the node that drives the tree while it is \`hot\`. \`epoch\` counts the owners. \`crashed\`: the last one died. \`place\`: only nodes
  -- of that place may own it.
  create table streams (
    id text primary key, seq bigint not null, course int not null, entry text,
    owner text, epoch bigint not null default 0, hot boolean not null default false, crashed boolean not null default false, place text
  ) with (fillfactor = 60);
  create index streams_hot on streams (owner) where hot;

  -- Commands of the project's stream that were carried out, by sender and msgId.
  create table receipts (key text primary key, at timestamptz not null default now());

  create table lines (
    stream text not null, seq bigint not null, last bigint not null, pos bigint not null, at bigint not null, v int not null,
    events text not null, primary key (stream, seq)
  );
  create index lines_pos on lines (pos);

  create table bases (
    stream text not null, reducer int not null, seq bigint not null, base text not null, primary key (stream, reducer)
  );
  create table blobs (stream text not null, name text not null, content bytea not null, primary key (stream, name));

  -- Everything of a group of commits, or nothing; a row per head. Heads: one per stream; lines: \`nth\` commit of the batch, counted from 0.
  -- Without \`h_expected\` the events come after whatever is there.
  create function commit_batch(
    p_node text, p_batch bigint, p_commits int, p_place text, p_claims boolean,
    h_stream text[], h_expected bigint[], h_count bigint[], h_course int[], h_entry text[], h_hot boolean[], h_epoch bigint[], h_place text[],
    l_stream text[], l_nth int[], l_offset bigint[], l_count bigint[], l_at bigint[], l_v int, l_events text[],
    b_stream text[], b_reducer int[], b_seq bigint[], b_base text[], r_keys text[]
  ) returns table (first bigint, stream text, last bigint, owner text, epoch bigint, hot boolean) language plpgsql as $$
  #variable_conflict use_column
  declare
    v_first bigint;
    v_made text[];
    v_old bigint;
  begin
    -- Whatever changes nodes or owners locks this row first: one order, no deadlocks.
    perform from project for update;
    update nodes set batch = p_batch where id = p_node and batch = p_batch - 1 and ended is null;
    if not found then
      select n.pos into v_first from nodes n where n.id = p_node and n.batch = p_batch;
      if not found then raise exception 'this node was replaced' using errcode = '${FENCED}'; end if;
      return query select v_first, s.id, (select max(l.last) from lines l where l.stream = s.id and l.pos < v_first + p_commits), s.owner, s.epoch, s.hot
        from streams s where s.id = any(h_stream);
      return;
    end if;

    update project set pos = pos + p_commits returning pos - p_commits + 1 into v_first;
    update nodes set pos = v_first where id = p_node;

    with made as (insert into streams (id, seq, course, entry, owner, epoch, hot, place)
      select h.id, h.count, h.course, h.entry, case when p_claims then p_node end, 1, h.hot, h.place
      from unnest(h_stream, h_expected, h_count, h_course, h_entry, h_hot, h_place) h (id, expected, count, course, entry, hot, place)
      where coalesce(h.expected, 0) = 0
      on conflict do nothing returning id)
    select coalesce(array_agg(id), '{}') into v_made from made;
    update streams s set seq = s.seq + h.count, course = greatest(s.course, h.course), entry = coalesce(h.entry, s.entry), hot = h.hot,
        place = coalesce(s.place, h.place), owner = o.owner, epoch = s.epoch + (o.owner is distinct from s.owner)::int,
        crashed = s.crashed and o.owner is null
      from unnest(h_stream, h_expected, h_count, h_course, h_entry, h_hot, h_epoch, h_place)
          h (id, expected, count, course, entry, hot, epoch, place)
        join streams t on t.id = h.id
        cross join lateral (select case
          when t.owner is not null and (t.hot or not p_claims or coalesce(t.place, h.place, p_place) <> p_place)
            and exists (select from nodes n where n.id = t.owner and n.ended is null) then t.owner
          when p_claims and coalesce(t.place, h.place, p_place) = p_place then p_node
        end as owner) o
      where s.id = h.id and h.expected is distinct from 0 and s.id <> all(v_made) and s.seq = coalesce(h.expected, s.seq)
        and (h.epoch is null or (s.owner = p_node and s.epoch = h.epoch));
    get diagnostics v_old = row_count;
    if cardinality(v_made) + v_old <> cardinality(h_stream) then
      raise exception 'another writer was first' using errcode = '${CONFLICT}';
    end if;
    if cardinality(r_keys) > 0 then
      -- A little less than the thirty days for which nodes remember them: what a node has forgotten is not refused.
      insert into receipts (key) select unnest(r_keys)
        on conflict (key) do update set at = now() where receipts.at < now() - interval '29 days';
      get diagnostics v_old = row_count;
      if v_old <> cardinality(r_keys) then raise exception 'carried out before' using errcode = '${CONFLICT}'; end if;
    end if;

    insert into lines (stream, seq, last, pos, at, v, events)
      select l.stream, s.seq - h.count + l.offset + 1, s.seq - h.count + l.offset + l.count, v_first + l.nth, l.at, l_v, l.events
      from unnest(l_stream, l_nth, l_offset, l_count, l_at, l_events) l (stream, nth, "offset", count, at, events)
        join unnest(h_stream, h_count) h (id, count) on h.id = l.stream
        join streams s on s.id = l.stream;
    if cardinality(b_stream) > 0 then
      insert into bases select b.* from unnest(b_stream, b_reducer, b_seq, b_base) b
        on conflict (stream, reducer) do update set seq = excluded.seq, base = excluded.base where excluded.seq >= bases.seq;
    end if;
    perform pg_notify(current_schema(), (v_first + p_commits - 1)::text);
    return query select v_first, s.id, s.seq, s.owner, s.epoch, s.hot from streams s where s.id = any(h_stream);
  end $$;

  -- Renews the node's lease and tells how things are: whether it is still a node, the last commit, how many others there are, and which of
  -- them have died: their session is gone, or their lease is over.
  create function look(p_node text, p_lease_ms int) returns table (is_node boolean, pos bigint, others int, dead text[]) language plpgsql as $$
  #variable_conflict use_column
  declare v_is_node boolean;
  begin
    update nodes set until = now() + p_lease_ms * interval '1 ms' where id = p_node and ended is null;
    v_is_node := found;
    return query select v_is_node, (select p.pos from project p), count(*)::int,
        coalesce(array_agg(n.id) filter (where n.until < now() or pg_try_advisory_xact_lock_shared(n.lock)), '{}')
      from nodes n where n.id <> p_node and n.ended is null;
  end $$;

  -- Ends nodes. Their trees have no owner then; \`p_crashed\`: their last steps may have been interrupted.
  create function end_nodes(p_nodes text[], p_crashed boolean) returns int language plpgsql as $$
  declare v_trees int;
  begin
    perform from project for update;
    update nodes set ended = now() where id = any(p_nodes) and ended is null;
    update streams set owner = null, epoch = epoch + 1, crashed = crashed or p_crashed where owner = any(p_nodes) and hot;
    get diagnostics v_trees = row_count;
    perform pg_notify(current_schema(), 'orphans');
    return v_trees;
  end $$;

  -- Trees in which something can move and that nobody owns belong to this node from now on.
  create function claim(p_node text, p_place text, p_most int) returns table (stream text, epoch bigint, crashed boolean) language plpgsql as $$
  #variable_conflict use_column
  begin
    perform from project for update;
    if not exists (select from nodes n where n.id = p_node and n.ended is null) then return; end if;
    return query update streams s set owner = p_node, epoch = s.epoch + 1, crashed = false
      from (
        select id, crashed from streams where owner is null and hot and coalesce(place, p_place) = p_place order by id limit p_most
      ) o
      where s.id = o.id returning s.id, s.epoch, o.crashed;
  end $$;

  create function hand_over(p_node text, p_streams text[]) returns void language plpgsql as $$
  begin
    perform from project for update;
    update streams set owner = null, epoch = epoch + 1 where id = any(p_streams) and owner = p_node;
    perform pg_notify(current_schema(), 'orphans');
  end $$;
  `,
  `
  -- By the secret, nodes recognise each other when one asks another's server for live output.
  alter table project add secret text not null default gen_random_uuid()::text || gen_random_uuid()::text;
  alter table nodes add version text;
  `,
  `
  -- How far followers of the log have come. One node at a time has each, until its lease is over or the node has ended.
  create table cursors (name text primary key, pos bigint, node text, until timestamptz not null default now());
  `,
  `
  -- Pasts of copied trees, each by the node that stored it, until a commit continues them.
  create table staged (stream text primary key, node text not null);

  -- Removes those of nodes that have ended before a commit continued them.
  create function discard_staged() returns void language plpgsql as $$
  declare v_gone text[];
  begin
    perform from project for update;
    delete from staged s using streams t where t.id = s.stream and t.entry is not null;
    select coalesce(array_agg(s.stream), '{}') into v_gone from staged s
      where not exists (select from nodes n where n.id = s.node and n.ended is null);
    if cardinality(v_gone) = 0 then return; end if;
    delete from lines where stream = any(v_gone);
    delete from bases where stream = any(v_gone);
    delete from blobs where stream = any(v_gone);
    delete from streams where id = any(v_gone);
    delete from staged where stream = any(v_gone);
  end $$;
  `,
  `
  -- Taskdocs, memory and requirements. \`hash\` is '' if the document was removed. \`version\` numbers the changes of all documents in the
  -- order in which they were committed: each locks the project's row first.
  create table documents (path text collate "C" primary key, hash text not null, text text, version bigint not null);
  create index documents_version on documents (version);
  alter table project add documents bigint not null default 0;

  -- Compare and swap: the version that the document has afterwards.
  create function swap_document(p_path text, p_from text, p_to text, p_text text) returns text language plpgsql as $$
  declare
    v_hash text;
    v_version bigint;
  begin
    perform from project for update;
    select d.hash into v_hash from documents d where d.path = p_path;
    if coalesce(v_hash, '') <> p_from or p_from = p_to then return coalesce(v_hash, ''); end if;
    update project set documents = documents + 1 returning documents into v_version;
    insert into documents values (p_path, p_to, p_text, v_version)
      on conflict (path) do update set hash = excluded.hash, text = excluded.text, version = excluded.version;
    perform pg_notify(current_schema(), 'documents');
    return p_to;
  end $$;

  -- A group of commits that also change documents. One that was committed already changes none.
  create function commit_with_documents(
    p_node text, p_batch bigint, p_commits int, p_place text, p_claims boolean,
    h_stream text[], h_expected bigint[], h_count bigint[], h_course int[], h_entry text[], h_hot boolean[], h_epoch bigint[], h_place text[],
    l_stream text[], l_nth int[], l_offset bigint[], l_count bigint[], l_at bigint[], l_v int, l_events text[],
    b_stream text[], b_reducer int[], b_seq bigint[], b_base text[], r_keys text[],
    d_path text[], d_from text[], d_to text[], d_text text[]
  ) returns table (first bigint, stream text, last bigint, owner text, epoch bigint, hot boolean) language plpgsql as $$
  #variable_conflict use_column
  declare
    v_is_new boolean;
  begin
    perform from project for update;
    select n.batch < p_batch into v_is_new from nodes n where n.id = p_node;
    return query select * from commit_batch(p_node, p_batch, p_commits, p_place, p_claims,
      h_stream, h_expected, h_count, h_course, h_entry, h_hot, h_epoch, h_place,
      l_stream, l_nth, l_offset, l_count, l_at, l_v, l_events, b_stream, b_reducer, b_seq, b_base, r_keys);
    if v_is_new then
      for n in 1 .. cardinality(d_path) loop
        perform swap_document(d_path[n], d_from[n], d_to[n], d_text[n]);
      end loop;
    end if;
  end $$;
  `,
  `
  -- A group of commits that also delete trees. One that was committed already deletes none: an id may have been used again.
  create function commit_with_deletions(
    p_node text, p_batch bigint, p_commits int, p_place text, p_claims boolean,
    h_stream text[], h_expected bigint[], h_count bigint[], h_course int[], h_entry text[], h_hot boolean[], h_epoch bigint[], h_place text[],
    l_stream text[], l_nth int[], l_offset bigint[], l_count bigint[], l_at bigint[], l_v int, l_events text[],
    b_stream text[], b_reducer int[], b_seq bigint[], b_base text[], r_keys text[],
    d_path text[], d_from text[], d_to text[], d_text text[], p_deleted text[]
  ) returns table (first bigint, stream text, last bigint, owner text, epoch bigint, hot boolean) language plpgsql as $$
  #variable_conflict use_column
  declare
    v_is_new boolean;
  begin
    perform from project for update;
    select n.batch < p_batch into v_is_new from nodes n where n.id = p_node;
    return query select * from commit_with_documents(p_node, p_batch, p_commits, p_place, p_claims,
      h_stream, h_expected, h_count, h_course, h_entry, h_hot, h_epoch, h_place,
      l_stream, l_nth, l_offset, l_count, l_at, l_v, l_events, b_stream, b_reducer, b_seq, b_base, r_keys,
      d_path, d_from, d_to, d_text);
    if v_is_new then
      -- The past of a copy to come stays.
      p_deleted := array(select id from streams where id = any(p_deleted) and entry is not null);
      delete from lines where stream = any(p_deleted);
      delete from bases where stream = any(p_deleted);
      delete from blobs where stream = any(p_deleted);
      delete from staged where stream = any(p_deleted);
      delete from streams where id = any(p_deleted);
    end if;
  end $$;
  `,
];

/** They find the project's tables whatever the session's search path is. */
export const FUNCTIONS = [
  "commit_batch",
  "look",
  "end_nodes",
  "claim",
  "hand_over",
  "discard_staged",
  "swap_document",
  "commit_with_documents",
  "commit_with_deletions",
];
