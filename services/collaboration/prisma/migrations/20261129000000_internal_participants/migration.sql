-- Who takes part by internal notes alone is shown to those who read these. Of those who took part already nobody can say what else they
-- did: whoever wrote internal notes and no others, and is neither author nor assignee, is taken for one of them.
alter table issue_participants add column internal boolean not null default false;
update issue_participants ip set internal = true
where exists (
    select 1 from noteables carrier join notes n on n.noteable_id = carrier.id
    where carrier.kind = 'Issue' and carrier.target_id = ip.issue_id and n.author_id = ip.user_id and n.internal and not n.system)
  and not exists (
    select 1 from noteables carrier join notes n on n.noteable_id = carrier.id
    where carrier.kind = 'Issue' and carrier.target_id = ip.issue_id and n.author_id = ip.user_id and not n.internal and not n.system)
  and not exists (select 1 from issues i where i.id = ip.issue_id and i.author_id = ip.user_id)
  and not exists (select 1 from issue_assignees a where a.issue_id = ip.issue_id and a.user_id = ip.user_id);
