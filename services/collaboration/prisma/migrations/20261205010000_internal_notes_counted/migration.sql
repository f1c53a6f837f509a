-- A migration of its own, so that one pass over the notes holds no lock of a table. The version grows, so that owners elsewhere take the
-- numbers when they are told (`npm run admin -- rebuild-counts`).
update noteables c set internal_notes_count = counted.notes, version = c.version + 1
from (select noteable_id, count(*)::int as notes from notes where internal and not system group by noteable_id) as counted
where c.id = counted.noteable_id and c.removed_at is null;

update issues i set internal_notes_count = c.internal_notes_count
from noteables c
where c.kind = 'Issue' and c.target_id = i.id and c.project_id = i.project_id and c.internal_notes_count > 0;
