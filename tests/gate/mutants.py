#!/usr/bin/env python3
"""Seeded bugs: each is built into a copy of the tree, and the tests named must notice.

    mutants.py --apply-only          every expression is there exactly once (a test of its own)
    mutants.py FOLDER [FIRST [LAST]] build and run; FOLDER is made and kept, for the next time

A mutant is (function, expression, replacement, tests); "bombs/Search" is class Search of test_bombs.py alone.  The
function, or object, enumerator or macro, is found in whatever file it is defined, the expression in it whatever its
layout (definitions.py).  Where several files define a function of that name, the expression must tell them apart.
Takes an hour or two; nothing in FOLDER is read but what this script wrote.
"""
import filecmp
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from definitions import NotOnce, Tree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ("format", "logger", "analyze", "perflog.c")
PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "format", "logger", "analyze", "perflog.c", "tests")
TIMEOUT = 600

MUTANTS = (
    # ---- logger/linux: control groups of version 1
    ("put", "v = v * a->times / a->per;", "v = v * a->times;", "linux_groups"),
    ("is_called", "if (a)\n        return", "if (0)\n        return", "linux_groups"),
    ("is_unlimited", "!pl_text_equal(word, pl_text_of(\"-1\"))", "true", "linux_groups"),
    ("join_trees", "if (!last || !pl_text_equal(last->path, list->list[i].path))", "if (1)", "linux_groups"),
    ("is_of", "has_option(mount->options, name)", "strstr(mount->options.p, name)", "linux_groups"),
    ("finish", "if (values[PL_CG_MEM_MAX] >= NO_LIMIT_V1)", "if (0)", "linux_groups"),
    ("enter_folder", "errno == ENOENT && tree == member->tree", "errno == ENOENT", "linux_groups"),
    ("find_trees", "if (c->roots[PL_CGROUP_MEMORY] >= 0)", "if (0)", "linux_groups"),
    ("pl_task_program_open", "if (no_ends)\n        *why =", "if (0)\n        *why =", "linux_no_ends"),
    ("shares_reason", "if (!pl_cgroups_explain(all->sources[0], why, sizeof why))", "if (1)", "catalogue"),
    # ---- format: what is proven before it is used
    ("pl_record_get", "if (pl_get_le64(in + AT_HEADER_HASH) != pl_hash(in, AT_HEADER_HASH, 0))",
     "if (pl_get_le64(in + AT_HEADER_HASH) == 1)", "record reader"),
    ("pl_record_get", "if (!r->session || r->stored_len > PL_MAX_PAYLOAD ||", "if (r->stored_len > PL_MAX_PAYLOAD ||",
     "record"),
    ("pl_record_get", "r->raw_len > PL_MAX_PAYLOAD)", "r->raw_len > 2u * PL_MAX_PAYLOAD)", "record"),
    ("pl_record_search", "from = (size_t)(hit - p) + 1;", "from = (size_t)(hit - p) + 8;", "record reader damage"),
    ("pl_record_search", "size_t last = n < PL_RECORD_LEN ? 0 : n - PL_RECORD_LEN + 1;",
     "size_t last = n < PL_RECORD_LEN ? 0 : n - PL_RECORD_LEN;", "record"),
    ("next_stretch", "out->record.session) != out->record.payload_hash)", "out->record.session) == 1)",
     "reader damage"),
    ("next_stretch", "if (!pl_codec_is_plausible(&out->record)) {", "if (0) {", "bombs/Search"),
    ("search", "from = base + got - PL_RECORD_LEN + 1;", "from = base + got;", "bombs/Search"),
    ("pl_record_is_fresh", "return r->type == PL_SESS && r->session != session;", "return r->type == PL_SESS;",
     "reader damage writer"),
    ("bad_payload", "if (s->vain > work_bound(s)) {", "if (0) {", "hostile"),
    ("first_inside", "if (record->session == out->record.session ||", "if (", "reader damage"),
    ("pl_interrupted_is_filled", "*filled = !flipped;", "*filled = true;", "reader damage"),
    ("pl_interrupted_is_filled", "if (zeros <= padding)",
     "if (0)", "reader"),
    ("pl_interrupted_is_filled", "if (*filled || zeros + behind <= PL_MIN_FENCE)",
     "if (*filled)", "reader"),
    ("zeros_behind", "return pl_record_is_fresh(&r, session) ? n : PL_MIN_FENCE;",
     "return n;", "reader damage"),
    ("zeros_behind", "return s->live ? PL_MIN_FENCE : n;",
     "return PL_MIN_FENCE;", "reader"),
    ("note_byte", "t->before_session = t->before;",
     "", "damage"),
    ("pl_interrupted_twice", "(fenced ? before : at) < PL_RECORD_LEN",
     "at < PL_RECORD_LEN", "damage"),
    ("pl_interrupted_twice", "(filled && before < claim && claim + PL_MIN_FENCE <= at)",
     "0", "damage"),
    ("cut", "else if (used < PL_RECORD_LEN || claim",
     "else if (claim", "reader"),
    ("cut", "(filled && used < claim) ||",
     "filled ||", "reader damage"),
    ("search", "if (tail) pl_tail_note(tail, base, p, hit);",
     "", "reader"),
    ("look_at", "if (has_signature(look, got))",
     "if (0)", "import"),
    ("write_log", "if (!code && im->plan->sources->num_refused)",
     "if (0)", "import"),
    ("refuse", "if (why == PL_IO || why == PL_NOMEM)",
     "if (why == PL_NOMEM)", "import"),
    ("pl_decode", "pl_hash(out->p, out->len, r->session) != r->raw_hash)", "0)", "codec reader"),
    ("inflate_frame", "size < least || size > most || ZSTD_findFrameCompressedSize(p, n) != n)",
     "size < least || size > most)", "codec"),
    ("max_tokens", "return 2 * (size_t)raw_len + TOKEN_SLACK;", "return 2 * (size_t)raw_len + TOKEN_SLACK + 1;",
     "codec"),
    ("decode_predicted", "if (c.bad || equal > len - at || differ > len - at - equal ||",
     "if (c.bad || equal > len - at ||", "delta"),
    ("pl_delta_decode", "if (n > ref_words || src - 1 > ref_words - n ||",
     "if (n > ref_words || src > ref_words - n ||", "delta"),
    ("pl_delta_decode", "return words || data.bad || data.left ? PL_CORRUPT : PL_OK;",
     "return words || data.bad ? PL_CORRUPT : PL_OK;", "delta"),
    ("same_instance", "if (!same_value(a, b, &id->counters[i]))", "if (id->num > 9)", "delta_plan size"),
    ("unzigzag", "return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);", "return v >> 1;", "delta"),
    ("place_record", "} else if (record->seq > r->next_seq) {", "} else if (record->seq > r->next_seq + 1) {",
     "reader"),
    ("place_record", "} else if (record->seq != r->follower) {", "} else if (0) {", "reader"),
    ("read_sample", "if (record->raw_len > r->max_block) {", "if (0) {", "reader"),
    ("find_reference", "if (seq != r->key_seq)", "if (0)", "reader"),
    ("find_reference", "if (r->key_slot == NO_SLOT && r->has_key_at)", "if (0)", "bombs/Large"),
    ("read_sample", "r->has_key_at = !pl_file_is_stream(r->scan.file);", "r->has_key_at = true;", "bombs/Large"),
    ("pl_record_scan_drop", "pl_buf_bytes(&rest, s->window.p + done, s->window.len - done);", "", "bombs/Large"),
    ("pl_delta_encode", "if (p > end || (!c.src && c.len > (size_t)(end - p) / WORD))", "if (0)", "delta"),
    ("look_first", "if (only_zeros(p, got))", "if (0)", "cli"),
    ("place_zeros", "if (!next) return PL_ZEROS;", "", "cli"),
    ("open_writer", "options.is_copy = true;", "", "repair"),
    ("pl_segment_drop_old", "segment_at(&s, (start + i) % s.num)", "segment_at(&s, i)", "segments"),
    ("pl_segment_drop_old", "strcmp(one, current) != 0 && !is_written(one)", "strcmp(one, current) != 0", "segments"),
    ("place_record", "*again = record->seq < r->next_seq && !take_missing(r, record->seq);",
     "*again = record->seq < r->next_seq;", "reader"),
    ("enter_session", "find_seen(r, r->session)->next_seq = r->next_seq;", ";", "reader"),
    ("pl_counter_get", "c->offset > i->block_len || c->size > i->block_len - c->offset)", "c->offset > i->block_len)",
     "winperf misfit"),
    ("check_counts", "if (values > o->data.left + (uint64_t)PL_MAX_COUNTERS)", "if (0)", "winperf misfit"),
    ("name_lies", "at > len || name_len > len - at", "at > len", "winperf misfit"),
    # ---- identities of processes
    ("put_text", "size_t n = text.n < most ? text.n : most;", "size_t n = most ? text.n : most;", "identity_set"),
    ("pl_process_identity_write", "p->is_cut || p->command_line.n > PL_MAX_COMMAND_LINE", "p->is_cut", "identity_set"),
    ("take_tag", "p->has_user = !value.bad;", "p->has_user = true;", "identity_set"),
    ("pl_process_identity_next", "return c->bad || entry.bad ? PL_CORRUPT : PL_OK;", "return c->bad ? PL_CORRUPT : PL_OK;",
     "identity_set identity"),
    ("add", "if (e && e->len == len && !memcmp(e->bytes, bytes, len))", "if (0)", "identity_set"),
    ("add", "if (s->bytes + sizeof *e + len > PL_MAX_IDENTITY_BYTES)", "if (0)", "identity_set"),
    ("pl_identity_set_write", "while (e->older && e->older->version > since)", "while (e->older)", "identity_set"),
    ("pl_identity_set_keep_live", "if (!s || !s->num || !mark_live(s, block, len))",
     "if (!s || !s->num || !(mark_live(s, block, len) || 1))", "identity_set"),
    ("mark_live", "if (o.title_index == PL_TITLE_PROCESS)", "", "identity_set"),
    ("pl_identity_set_limit", "if (s && s->bytes > LEAST_TO_SWEEP && s->bytes / 2 > s->bytes_swept)", "if (0)",
     "identity_set"),
    ("end_chunk", "w->identities_put = 0;", "", "identities"),
    ("start_segment", "w->identities_put = 0;", "", "identities"),
    ("pl_writer_add_identities", "pl_identity_set_keep_live(w->identities, block->p, block->len);", "(void)block;",
     "identities"),
    ("write_sample", "w->identities_put = pl_identity_set_version(w->identities);", "", "identities"),
    ("read_identities", "item->harmless = true;", "", "identities"),
    ("is_same_program", "a->program == b->program && a->user == b->user", "a->user == b->user", "linux_identity"),
    ("is_same_program", "a->user == b->user &&", "", "linux_identity"),
    ("is_same_program", "&& a->name == b->name", "", "linux_identity"),
    ("remember", "was->times >= PL_IDENTITY_FREE", "0", "linux_identity"),
    ("is_of", "pl_convert(&m->units[PL_TICKS], columns[PL_STAT_STARTED]) == started", "started + 1 > 0",
     "linux_identity"),
    ("can_wait", "return v[PL_P_STATE] == 'D';", "return false && v;", "linux_identity"),
    ("read_new", "t->begun ? PL_IDENTITY_READS : PL_IDENTITY_FIRST_READS", "PL_IDENTITY_FIRST_READS", "linux_identity"),
    ("read_new", "n < all->num && left && t->bytes > 0", "n < all->num && left", "linux_identity"),
    ("pl_identity_control_group", "if (unified.n) return unified;", "(void)unified;", "linux_identity"),
    ("parse_uid", "return n <= UINT32_MAX && p < end && *p == ':';", "return p < end && *p == ':';", "linux_identity"),
    ("strip", "one.command_line = (struct pl_text){ 0 };", "", "identity"),
    ("pl_copied_identities_take", "pl_identity_set_write(set, c->put, &c->payload);",
     "pl_identity_set_write(set, c->taken, &c->payload);", "identity"),
    ("choose", "pl_identity_set_keep_live(live, block->p, block->len);", "(void)block;", "identity"),
    ("set_one", "g->identity->version == version", "1", "identity_sheets"),
    ("place_of", "plan->identity[k].title_index != title", "title == 0", "identity_sheets"),
    ("pl_control_group_unit", "end = at ? at - 1 : 0;", "end = 0;", "identity_sheets"),
    ("user_of", "snprintf(number, 16,", "(void)number, (void)snprintf(NULL, 0,", "identity_sheets"),
    ("pl_vanished_series_cells", "if (!o->paired || samples->names_end)", "if (!o->paired)", "identity_sheets"),
    ("pl_vanished_series_cells", "|| samples->names_end", "|| 1", "identity_sheets"),
    ("put_or_unknown", "t = t.n ? t : pl_text_of(\"?\");", "", "identity_sheets"),
    ("find_command", "else find_name(r, g, cells, num);", "(void)cells, (void)num;", "identity_sheets"),
    ("put_header", "e->plan->identity && pl_object_has_identities(t->object->name)", "e->plan->identity", "identity_sheets"),
    ("pl_identity_json", "if (!g->identity) return;", "", "identity_sheets"),
    ("pl_xlsx_processes_put", "if (!groups[i]->identity) continue;", "", "xlsx"),
    ("pl_xlsx_processes_count", "rows += groups[i]->identity != NULL;", "rows++;", "xlsx"),
    # ---- format: writing, files, names
    ("pl_file_append", "from += part; n -= (size_t)part;", "from += n; part = (ssize_t)n; n -= (size_t)part;",
     "faults"),
    ("pl_file_open_append", "O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;",
     "O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;", "cli races"),
    ("pl_file_open_special", "return !lstat(path, &st) && S_ISLNK(st.st_mode) ? PL_UNSAFE : PL_OK;", "return PL_OK;",
     "races"),
    ("why_unsafe", "if (st->st_nlink != 1)", "if (0)", "cli races"),
    ("why_unsafe", "if (st->st_uid != geteuid())", "if (0)", "cli races"),
    ("why_unsafe", "if (st->st_mode & (S_IWGRP | S_IWOTH))", "if (0)", "cli"),
    ("pl_path_exists", "return !lstat(path, &st);", "return !stat(path, &st);", "new_log repair races"),
    ("pl_file_open_append", "else if (must_be_new)", "else if (0)", "import_faults"),
    ("enter", "start_segment(w, utc_ns); pl_writer_begin(w);", "pl_writer_begin(w);", "segments"),
    ("open_target", "if (!s && w->space_low && !w->file)", "if (0)", "full_disk cli faults"),
    ("pl_is_control", "if (code < 0x20 || (code >= 0x7F && code < 0xA0))", "if (code < 0x20 || code == 0x7F)",
     "utf names"),
    ("pl_is_control", "(code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;", "code == 0xFEFF;", "utf names"),
    ("next_element", "strchr(\"*?#[\", p[1])", "strchr(\"*?[\", p[1])", "path select"),
    # ---- logger
    ("pl_bounded_read", "r->num_left++;", "", "bounded_read"),
    ("pl_bounded_read", "leave(r->worker);\n    r->worker = NULL;", "", "bounded_read"),
    ("read_one", "if (t->room.hung && ++seen->hangs < MAX_HANGS)", "if (t->room.hung)", "linux_identity"),
    ("remember", "now->hangs = was->hangs;", "", "linux_identity"),
    ("has_room", "num_waiting + s->previous <= RING_BYTES", "num_waiting <= RING_BYTES", "spool"),
    ("write_all", "s->num_waiting -= s->slots[written].block.len;", "", "spool"),
    ("pl_write_queue_push", "s->previous = slot->block.len;",
     "if (slot->block.len > s->previous) s->previous = slot->block.len;", "spool"),
    ("give_back_memory", "pl_buf_release(&s->slots[i].block);", "", "spool"),
    ("pl_write_queue_slot", "if (!num_filled && s->had_waiting)", "if (0)", "spool"),
    ("follow_clock", "if (step >= -most && step <= most)", "if (step >= -most)", "clock"),
    ("pl_ticks_due", "out->missed = (uint32_t)((newest - t->due_utc) / t->interval_ns);",
     "out->missed = (uint32_t)((newest - t->due_utc) / t->interval_ns) + 1;", "clock"),
    ("pl_ticks_due", "out->suspended = slept - t->slept_ns > t->interval_ns / 2;", "out->suspended = false;",
     "clock"),
    # ---- analyze: pairs and numbers
    ("take_delta", "if (newer >= older) return true;", "return true;", "calc time"),
    ("take_clock", "if (to < from || delta > INT64_MAX)", "if (0)", "calc"),
    ("are_comparable", "if (older->perf_freq != newer->perf_freq || older->size != newer->size)",
     "if (older->size != newer->size)", "calc"),
    ("begin_session", "unpair(r, PL_CELL_FIRST); r->ended = false;", "r->ended = false;", "replay time"),
    ("take_note", "case PL_ITEM_HOLE: unpair(r, PL_CELL_GAP);", "case PL_ITEM_HOLE:", "replay time"),
    ("take_note", "else if (loses_samples(item->gaps.cause)) unpair(r, PL_CELL_GAP);", "", "replay time"),
    ("take_sample", "r->foreign_clock && (item->record.flags & PL_FLAG_CLOCK_STEPPED);", "false;", "time"),
    ("is_before", "return w->has_from && t <= w->from_ns;", "return w->has_from && t < w->from_ns;",
     "replay export cut"),
    ("pl_instance_match_find", "if (same_identity(o, i)) {", "if (1) {", "time"),
    ("pl_quick_step", "if (*n < n0) return false;", "", "replay calc time export"),
    ("list_slots", "p->in_plan[plan->counters[i].slot] = true;", "p->in_plan[plan->counters[0].slot] = true;",
     "replay sheet"),
    ("pl_block_signature_is_same", "if (memcmp(was + r->at, now + r->at, r->len))", "if (was == now + r->len)", "frame"),
    ("read_object", "pl_block_signature_definitions(&samples->frame, view);", "", "frame"),
    ("pl_sample_view_read", "pl_block_signature_header(&samples->frame, &view);", "", "frame"),
    ("read_instances", "pl_block_signature_instance(&samples->frame, &now->block, &i->view);", "", "frame"),
    ("read_instances", "pl_block_signature_bytes(&samples->frame, walk.at + walk.len - walk.data.left, walk.data.left);", "",
     "frame"),
    ("pl_sample_view_read", "pl_block_signature_bytes(&samples->frame, walk.len - walk.rest.left, walk.rest.left);", "", "frame"),
    ("read_instances", "samples->frame.known &= !i->view.parent_object;", "", "frame"),
    ("pl_sample_view_read", "s == PL_END && whole && !samples->crowded && !samples->made_up;",
     "!samples->crowded && !samples->made_up;", "frame"),
    ("pl_sample_view_read", "pl_sample_view_older(samples)->block.bytes == next.bytes)", "1)", "frame replay"),
    ("find_group", "if (t->group->numbered) samples->frame.known = false;", "", "frame"),
    ("quick_total", "if (p->want_steps || t->good || t->bad || t->too_large)",
     "if (p->want_steps || t->good || t->bad)", "frame"),
    ("quick_total", "if (p->want_steps || t->good || t->bad || t->too_large)", "if (p->want_steps || t->too_large)",
     "frame"),
    ("quick_total", "if (t->quick.clock == PL_CLOCK_NONE || !mean->usable)", "if (!mean->usable)", "frame"),
    ("pl_object_totals_cells", "look_at_mean(quick, t->quick, &mean);", "look_at_mean(quick, 1, &mean);", "frame replay"),
    ("few_limit", "constexpr double few_limit = 1e7;", "constexpr double few_limit = 1e9;", "number"),
    ("put_few", "if (static_cast<double>(digits) / few_scale != v)", "if (digits == 0)", "number"),
    ("pl_cur_varint", "if (last >> 63 == 0) {", "if (1) {", "cursor"),
    ("pl_sample_view_read", "continue;", ";", "bombs/Search"),
    ("has_room", "bool has = r->slots + more <= r->bytes / LEAST_SLOT + FREE_SLOTS;", "bool has = true;", "bombs"),
    ("until_nul", "return (struct pl_text){ t.p, t.n ? strnlen(t.p, t.n) : 0 };", "return t;", "names"),
    ("pl_registry_host", "struct pl_text name = until_nul(raw); uint64_t own",
     "struct pl_text name = until_nul(raw); machine_hash = 0; uint64_t own", "sheet"),
    # ---- analyze: outputs
    ("clean", "if (style->visible) {", "if (0) {", "names"),
    ("clean", "pl_utf8_put(out, code ? code : 0xFFFD);", "pl_utf8_put(out, code ? code : ' ');", "csv"),
    ("put_quoted", "if (code == '\"' || code == '\\\\' || pl_is_control(code))",
     "if (code == '\"' || code == '\\\\')", "json names"),
    ("pl_log_output_commit", "s = pl_file_rename_new(log->part, log->path);",
     "s = rename(log->part, log->path) ? PL_IO : PL_OK;", "new_log races"),
    ("local_of", "(uint64_t)(pl_zone_offset(utc_ns) * PL_NS_PER_SEC));",
     "(uint64_t)(pl_zone_offset(0) * PL_NS_PER_SEC));", "sheet time export"),
    # ---- times as people say them
    ("last_such", "if (ns <= last_ns)", "if (ns < last_ns)", "given_time"),
    ("last_such", "int later = 1; later >= 0;", "int later = 0; later >= 0;", "given_time"),
    ("next_such", "if (ns >= from_ns)", "if (ns > from_ns)", "given_time"),
    ("next_such", "later <= 1;", "later <= 0;", "given_time"),
    ("next_such", "int days = -1;", "int days = 0;", "given_time"),
    ("find", "-t->days_back, false)", "0, false)", "given_time"),
    ("pl_given_time_find", "t->whole_day ? on_day(t, ns, 1, false) :", "", "given_time"),
    ("pl_given_time_needs_end", "t->kind == PL_GIVEN_BACK ||", "", "given_time"),
    ("take_half", "c->hour % 12 +", "c->hour +", "given_time"),
    ("take_half", "if (c->hour < 1 || c->hour > 12)", "if (0)", "given_time"),
    ("set_day_and_month", "separator == '.' || a > 12", "a > 12", "given_time"),
    ("set_day_and_month", "b > 12 || a == b", "b > 12", "given_time"),
    ("set_day_and_month", "if (order != PL_DATE_ORDER_UNKNOWN)", "if (1)", "given_time"),
    ("is_clock", "return !c->minute && !c->second && !c->ns;", "return true;", "given_time"),
    ("is_date", "c->year >= FIRST_YEAR && c->year <= LAST_YEAR &&", "", "given_time"),
    ("to_utc", "(later || pl_zone_offset(by_before) != before)", "pl_zone_offset(by_before) != before", "given_time"),
    ("is_no_choice", "!strncmp(locale, \"C.\", 2) ||", "", "date_order"),
    ("take_ends", "w->span.from_ns = from.ns;", ";", "times"),
    ("take_ends", "times->to && from.ns == to.ns)", "0)", "times"),
    ("take_unit", "if (length < w->interval_ns)", "if (0)", "times"),
    ("take_unit", "at->ns > INT64_MIN ? at->ns - 1 : at->ns", "at->ns", "times"),
    ("take_around", "at.ns > INT64_MAX - around ? INT64_MAX : at.ns + around", "at.ns", "times"),
    ("use_offset", "minutes_east > MOST_MINUTES)", "0)", "times"),
    ("pl_zone_use_log", "!log->imported &&", "", "times"),
    ("pl_zone_use", "(tz == PL_TZ_USUAL && for_people)", "tz == PL_TZ_USUAL", "times"),
    ("pl_first_log", "if (logs->tapes[i].first_utc < first->first_utc)", "if (0)", "times"),
    ("use_zone", "if (json)", "if (0)", "times"),
    ("pl_say_window", "pl_times_given(times) && pl_stderr_is_terminal()", "pl_times_given(times)", "times"),
    # ---- the machine at a moment
    ("put_value", "if (c->sum && !isnan(row->values[i]))", "if (0)", "moment"),
    ("rank_of", "if (f && pl_formula_adds_up(f))", "if (1)", "moment"),
    ("note_state", "s->waiting += letter == 'D';", ";", "moment"),
    ("pl_replay_peek", "r->is_over = w->ends;", ";", "moment"),
    ("pl_host_log_start_at", "tape->foreign[i].first_utc <= utc_ns;", "0;", "moment"),
    ("pl_host_log_start_at", "if (!tape->foreign[i].zeros)", "if (1)", "moment"),
    ("pl_window_before", ": window->to_ns - length_ns;", ": window->to_ns;", "moment"),
    ("pl_moment_rank", "!pl_ranking_excludes(g->object->name, g->instance)", "1", "moment"),
    ("settle", "if (!times->from && !times->to && !around)", "if (1)", "moment"),
    ("leave_out_numbers", "w->columns[i] = 0;", ";", "moment"),
    ("measure_texts", "if (w->texts[k] && w->texts[k] < strlen(text_columns[k].title))", "if (0)", "moment"),
    ("pl_moment_put_processes", "if (width && width < ROOM)", "if (0)", "moment"),
    ("next_in", "times == times_in(last, state) && s <= last", "0", "moment"),
    ("say_unknown", "if (begin > 1)", "if (0)", "cli/WrongWords"),
    ("pl_name_is_near", "(wanted.n < 6 ? 2 : wanted.n / 3)", "6", "cli/WrongWords"),
    ("is_stand_in", "if (word[i] < 'A' || word[i] > 'Z')", "if (1)", "completion"),
    ("decimals", "fabs(v) < 9.995", "fabs(v) < 10", "readable"),
    ("put_with_prefix", "fabs(v) >= 999.5", "fabs(v) >= 1000", "readable"),
    ("put_seconds", "fabs(v) < 0.9995", "fabs(v) < 1", "readable"),
    ("pl_say", "pl_utf8_visible(&line, text, (size_t)n);", "pl_buf_bytes(&line, text, (size_t)n);", "names cli"),
    # ---- published counters: the library, and who reads it
    ("pl_add", "(void)__atomic_fetch_add(&w->v, n, __ATOMIC_RELAXED);",
     "__atomic_store_n(&w->v, __atomic_load_n(&w->v, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);", "provider"),
    ("occupy", "put(&s.words[w].v, 0);", ";", "provider"),
    ("pl_prov_file_detach", "MREMAP_MAYMOVE | MREMAP_FIXED, f->map) !=", "MREMAP_MAYMOVE, f->map) !=",
     "provider linux_regions"),
    ("pl_prov_in_child", "close_region(p);", ";", "provider_faults"),
    ("pl_prov_prepare", "return unprepared;", "return 0;", "provider_faults"),
    ("make_in", "while (error == EINTR);", "while (0);", "provider_faults"),
    ("open_folder", "fs.f_type != TMPFS_MAGIC", "0", "provider"),
    ("make_in", "error = posix_fallocate(f->fd, 0, (off_t)f->size);", "error = ftruncate(f->fd, (off_t)f->size);",
     "provider"),
    ("character", "code < least[n] ||", "", "provider"),
    ("try_set", "load(&sync->enter) == ended ? PL_COPIED_GOOD : PL_COPIED_LOOSE;", "PL_COPIED_GOOD;",
     "linux_regions"),
    ("copy_sets", "if (load(&h->sync.enter) == ended)", "if (1)", "linux_regions"),
    ("try_set", "if (load(&slot->serial) != serial) return false;", "", "linux_regions"),
    ("meet", "n > object_of(p)->name_max ||", "", "linux_regions"),
    ("meet", "if (!pl_region_is_text(name, n)) {", "if (0) {", "linux_regions"),
    ("check_counter", "c[i].word >= o->val_stride / sizeof(uint64_t)", "0", "linux_regions"),
    ("is_placed", "(val_end - o->val_at) / o->val_stride < slots", "0", "linux_regions"),
    ("pl_region_check_header", "h->order != PL_REGION_ORDER || h->critical", "h->order != PL_REGION_ORDER",
     "linux_regions"),
    ("check_file", "if (st.st_mode & 022)", "if (0)", "linux_regions"),
    ("pl_region_look_at_half_made", "if (g->chances > 1)", "if (0)", "linux_regions"),
    ("find_parent", "{ up->def.index, at->written }; return at->serial == c->parent_serial &&",
     "{ up->def.index, at->written }; return", "linux_published"),
    ("is_readable",
     "const struct pl_published_object *o, const struct pl_region_copy *c) { return c->copied == PL_COPIED_GOOD || (c->copied == PL_COPIED_LOOSE && !o->is_ratio)",
     "const struct pl_published_object *o, const struct pl_region_copy *c) { (void)o; return c->copied == PL_COPIED_GOOD || c->copied == PL_COPIED_LOOSE",
     "linux_published"),
    ("identity_of", "const uint64_t who[2] = { r->region_id, serial };",
     "const uint64_t who[2] = { r->region_id, 1 };", "linux_published"),
    ("settle_object", "if (!o->namesake->holder) {", "if (!o->holder) {", "linux_published"),
    # ---- what never harms the application
    ("make_lock", "PTHREAD_MUTEX_RECURSIVE);", "PTHREAD_MUTEX_NORMAL);", "provider_faults"),
    ("in_child", "make_lock();", "", "provider_faults"),
    ("pl_prov_lock", "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); pthread_mutex_lock(&lock);",
     "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before); pthread_mutex_lock(&lock);", "provider_faults"),
    ("make_in", "error = lock_file(f->fd);", "error = 0;", "provider_faults linux_regions"),
    ("make_in", "if (!getrlimit(RLIMIT_FSIZE, &most) && f->size > most.rlim_cur)", "if (0)", "provider_faults"),
    ("pl_prov_close", "errno = error;", "", "provider_faults"),
    ("withdraw", "header_of(p)->pid != pl_prov_process())", "0)", "provider_faults"),
    ("pl_prov_add", "(parent->prov != p || parent->object >= k)", "(parent->object >= k)", "provider"),
    # ---- what need not be asked
    ("pl_region_watch", "IN_MODIFY | IN_CLOSE_WRITE", "IN_CLOSE_WRITE", "linux_watch"),
    ("pl_region_watch", "IN_MODIFY | IN_CLOSE_WRITE", "IN_MODIFY", "linux_watch linux_regions"),
    ("pl_regions_watch_folder", "IN_CREATE | IN_MOVED_TO | IN_ONLYDIR", "IN_CREATE | IN_ONLYDIR", "linux_watch"),
    ("hear_some", "if (e->mask & IN_Q_OVERFLOW)", "if (0)", "linux_watch"),
    ("hear_of_folder", "pl_regions_unsettle(f);", "", "linux_watch"),
    ("pl_regions_is_turn_of", "return (r->pass + g->inode) % ASK_AGAIN == 0;", "return r->pass == 0;", "linux_watch"),
    ("pl_region_is_settled", "return g->settled && r->pass > r->doubted &&", "return g->settled &&", "linux_watch"),
    ("drop_finished", "if (!g->last) pl_regions_unsettle(&r->folders[g->dir]);", "", "linux_watch"),
    ("pl_regions_list_folder", "f->settled = f->watch >= 0 && !f->missed;", "f->settled = !f->missed;",
     "linux_watch"),
    ("drop_folders", "if (used[d] || f->fd < 0)", "if (f->fd < 0)", "linux_watch"),
    ("begin_search", "drop_folders(r);", "", "linux_watch"),
    ("may_go_on", "p->stopped = true;", ";", "linux_watch"),
    ("pl_regions_list_folder", "(num > MAX_ENTRIES || pl_regions_have_searched(r))", "num > MAX_ENTRIES",
     "linux_watch"),
    ("formulas", "PL_VALUE_DOUBLE, AVERAGE_SECONDS }",
     "PL_VALUE_DOUBLE, AVERAGE }", "calc"),
    ("same_as_before", "(g->numbered && !samples->same_order) ||",
     "", "sample replay"),
    ("pl_sample_view_group", "if (g->place.row != row && g->total_of != samples->serial)",
     "if (g->place.row != row)", "calculated"),
    ("pl_sample_view_read", "if (same && samples->same_layout &&",
     "if (same &&", "frame replay"),
    ("find_group", "g->place.row != row && g->total_of",
     "g->total_of", "frame"),
    ("pl_object_totals_count", "total->slow++;",
     "", "frame"),
    ("instance_cells", "total->slow += simple;",
     "", "frame"),
    ("pl_quick_look", "if (uses(pair->plan, PL_CLOCK_OBJECT) &&",
     "if (0 &&", "frame"),
    ("prepare", "q->older_mask = q->way == PL_QUICK_DELTA ? UINT64_MAX : 0;",
     "q->older_mask = UINT64_MAX;", "frame replay"),
    ("is_total_name", "!strcmp(instance, \"_Total\") || !strcmp(instance, \"_Total/_Total\")",
     "!strcmp(instance, \"_Total\")", "replay"),
    ("read_identity", "if (!plan->num_identity || i->group->is_total) {",
     "if (!plan->num_identity) {", "replay"),
    ("add_counter", "pl_type_resolves_to_base(next->type, next->size)",
     "pl_type_is_base(next->type)", "types_1992"),
    ("add_companions", "pl_type_resolves_to_base(defs[i].type, defs[i].size)",
     "pl_type_is_base(defs[i].type)", "types_1992"),
    ("pl_counter_delta_is_born", "(uint64_t)then - (uint64_t)birth <= plan->birth_slack",
     "0", "replay"),
    ("pl_counter_delta_is_born", "pair->newer->group->is_total ||",
     "", "replay"),
    ("is_in_total", "!(flags & o->plan->left_out)",
     "1", "replay"),
    ("object_cells", "totals->num && members)",
     "totals->num)", "replay"),
    ("ask", "v[PL_DISK_IN_FILE] ||",
     "", "linux_change"),
    ("copy_transfers", "m->same_device ||",
     "", "linux_change"),
    ("copy_transfers", "|| disk[PL_DISK_IN_FILE]",
     "", "linux_change"),
    ("pl_cpu_times_end", "if (c->was.unsorted)",
     "if (0)", "cpu_times"),
    ("pl_cpu_time_scale", "if (t->system < before->system)",
     "if (0)", "cpu_times"),
    ("add_one", "scale_times(v, was);",
     "", "process_ended"),
    ("is_the_only_one", "!NUMBER_OR_0(g, sum_sched_runtime)", "1", "own_io"),
    ("part_io", "end.reaped_io[k] -= noted;", "", "own_io"),
    ("keep_end", "if (was[PL_P_EXITS] && !v[PL_P_EXITS])", "if (0)", "process_ended"),
    ("keep_end", "if (was[PL_P_EXITS] && !v[PL_P_EXITS])", "if (was[PL_P_EXITS])", "process_ended"),
    ("keep_end", "s->before.row[i].gone = true;", "", "process_ended"),
    ("keep_ends", "i >= e->missed_at_before ||", "", "process_ended"),
    ("add_rest", "v[i] -= v[i] < counted[i] ? v[i] : counted[i];", "", "process_ended"),
    ("is_vain", "!x->end.final", "0", "process_ended"),
    ("is_vain", "x->end.final == PL_FINAL_AGAIN", "0", "process_ended"),
    ("add_new", "if (!x->end.final)", "if (0)", "process_ended"),
    ("add_final", "x.end.final = PL_FINAL;", "", "process_ended"),
    ("repeat", "e->num_repeated >= MAX_REPEATED ||", "", "process_ended"),
    ("repeat", "was->missed + 1 == MAX_MISSED ||", "", "process_ended"),
    ("repeat", "pl_process_counted_put(&e->counted, e->tick, shown);", "", "process_ended"),
    ("pl_process_counted_find", "set[i].tick < tick ? set[i].values : NULL", "set[i].values", "process_ended"),
    ("is_of", "one->values[PL_P_STARTED] == values[PL_P_STARTED]", "1", "process_ended"),
    ("is_of", "one->values[PL_P_PID] == values[PL_P_PID]", "1", "process_ended"),
    ("place_for", "if (set[i].tick < best->tick)", "if (0)", "process_ended"),
    ("place_for", "if (is_of(&set[i], values))", "if (0)", "process_ended"),
    ("shown_before", "found->start == t->start",
     "1", "cpu_times"),
    ("pl_instance_match_find", "if (same_name && !same_name->paired && same_identity(same_name, i)) {",
     "if (same_name && !same_name->paired) {", "replay export"),
    ("check_file", "|| st.st_ino != g->inode", "", "linux_regions/liars"),
    ("check_file", "st.st_mode & 022", "st.st_mode & 02", "linux_regions/liars"),
    ("pl_region_sweep", "st.st_ino != g->inode || st.st_dev != g->device ||", "", "linux_regions/liars"),
    ("is_taken", "!strcasecmp(pl_objects[i].name, name)", "!strcmp(pl_objects[i].name, name)", "linux_regions/liars"),
    ("pl_writer_rescue", "pl_writer_tell_risk(w, EIO);", ";", "faults"),
    ("count_samples", "intervals > l->told ? intervals - l->told : 0", "intervals", "loss"),
    ("pl_damage_summary_take", "if (item->gaps.cause != PL_GAP_SYNC_FAILED)", "", "loss"),
    ("pl_instance_match_find", "if (o->paired)", "if (0)", "match"),
    ("pl_instance_match_find", "!same_name->paired &&", "", "match"),
    ("join_marks", "lo = rank - k->num - marks[i].num", "lo = rank - k->num", "quantile"),
    ("pl_ticks_due", "slept - t->slept_ns > t->interval_ns / 2", "slept - t->slept_ns > t->interval_ns * 2", "clock"),
    ("pl_file_open_append", "O_CREAT | O_EXCL", "O_CREAT", "new_log file"),
    ("pl_record_batch_begin", "b->num = 0;", "", "batch"),
    ("pl_record_batch_seq", "b->first_seq + b->num", "b->first_seq", "batch"),
    ("pl_record_batch_built", "pl_hash(p, padded, b->session)", "pl_hash(p, r.stored_len, b->session)", "batch"),
    ("pl_record_batch_built", "r.session = b->session;", "", "batch"),
    ("pl_record_batch_plain", "r.raw_hash = pl_hash(b->bytes.p + payload, r.raw_len, b->session);", "", "batch"),
    ("pl_record_batch_coded", "b->bytes.oom |= payload->oom;", "", "batch"),
    ("pl_chunk_index_is_over", "c->now.samples >= MOST_SAMPLES", "c->now.samples > MOST_SAMPLES", "chunks"),
    ("pl_chunk_index_is_over", "c->bytes >= MOST_BYTES", "c->bytes > MOST_BYTES", "chunks"),
    ("pl_chunk_index_is_over", "boot_ns > c->boot_ns &&", "", "chunks"),
    ("pl_chunk_index_is_over", "!c->now.samples ||", "", "chunks"),
    ("pl_chunk_index_extend", "if (utc_ns < c->now.utc_first)", "if (0)", "chunks"),
    ("pl_chunk_index_extend", "if (utc_ns > c->now.utc_last)", "", "chunks"),
    ("pl_chunk_index_begin", "c->bytes = 0;", "", "chunks"),
    ("pl_chunk_index_finish", "last->samples += c->now.samples;", "", "chunks"),
    ("pl_chunk_index_finish", "if (c->now.utc_last > last->utc_last)", "", "chunks"),
    ("pl_chunk_index_finish", "if (!c->now.samples) return;", "", "chunks"),
    ("pl_chunk_index_indexed", "c->num_done = 0;", "", "chunks"),
    ("stem_len", "n > SUFFIX_LEN &&", "n >= SUFFIX_LEN &&", "segment"),
    ("is_time", "&& p[15] == 'Z'", "", "segment"),
    ("pl_segment_parse", "num_digits < LEAST_DIGITS ||", "", "segment"),
    ("pl_segment_parse", "dash[-TIME_LEN - 1] != '-' ||", "", "segment"),
    ("pl_segment_parse", "*stem_len = before - TIME_LEN - 1;", "*stem_len = before - TIME_LEN;", "segment"),
    ("pl_segment_matches", "n == strlen(stem) &&", "", "segment"),
    ("list", "*s->folder ? s->folder : \".\"", "s->folder", "segment"),
    ("pl_segment_is_written", "(!but || strcmp(one, but) != 0) &&", "", "segment"),
    ("pl_segment_is_written", "(!but || strcmp(path, but) != 0) && is_written(path)", "false", "segment segments"),
    ("pl_segment_drop_old", "ours > keep", "ours >= keep", "segments"),
    ("check_existing", "pl_record_may_begin(head, got) ? PL_OK : PL_NOT_A_LOG", "PL_OK", "writer_opens"),
    ("check_existing", "s || r.type != PL_SESS", "s", "writer_opens"),
    ("pl_append_file_fence", "8 - t->size % 8 + FENCE", "8 - t->size % 8", "writer_opens"),
    ("pl_append_file_fence", "t->size += pad;", "", "writer_opens faults"),
    ("pl_append_file_drop", "t->file && pl_file_is_new(t->file)", "0", "full_disk"),
    ("pl_object_total_add", "t->partial |= step->cell == PL_CELL_UNREADABLE;", "", "replay frame"),
    ("total_step", "step.clock *= (int64_t)t->good;", ";", "replay frame"),
    ("total_value", "/ t->good", "", "replay frame"),
    ("by_title", "(x->view.at > y->view.at) - (x->view.at < y->view.at)",
     "(x->view.at < y->view.at) - (x->view.at > y->view.at)", "parents"),
    ("number_equals", "of[i - 1].number + 1", "1", "parents"),
    ("number_equals", "qsort(of, n, sizeof *of, by_place);", "", "parents"),
    ("pl_instance_parents_forget", "p->indexed = false;", "", "parents"),
    ("name_instances", "o->first = p->num_instances;", "o->first = 0;", "parents"),
    ("set_u32", "if (m->big_endian)", "if (0)", "merge"),
    ("why_not", "if (is_there(m, o->title_index)) return &m->num_twice;", "", "merge"),
    ("why_not", "m->num_objects == PL_MAX_OBJECTS", "0", "merge"),
    ("why_not", "if (!pl_object_is_whole(*o)) return &m->num_malformed;", "", "merge"),
    ("pl_block_merge_add", "|| s != PL_END || b.objects_seen < b.num_objects", "", "merge"),
    ("pl_block_merge_end", "m->num_objects = 0;", "", "merge"),
    ("pl_region_check_header", "h->num_shards != 1", "0", "linux_regions/liars"),
    ("pl_region_is_same_table", "a->num_objects == b->num_objects &&", "", "linux_regions/liars"),
    ("pl_region_is_same_table", "a->num_counters == b->num_counters &&", "", "linux_regions/liars"),
    ("pl_region_check_definitions", "pl_hash(p, h->def_len, 0) != h->def_hash", "0", "linux_regions/liars"),
    ("check_counter", "type->is_base && (!above || above->base != c[i].type)", "0", "linux_regions/liars"),
    ("meet", "id > INT32_MAX", "0", "linux_regions/liars"),
    ("count_busy", "r->busy = 0;", "", "linux_regions/lives"),
    ("pl_region_image_copy", "if (pass.lied)", "if (0)", "linux_regions/liars"),
    ("pl_publisher_has_room", "(who->taken[share] + n <= l->one && strangers + n <= l->all)",
     "1", "linux_regions publishers"),
    ("pl_regions_watch_folder", "watch(r, fd, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)",
     "watch(r, fd, IN_CREATE | IN_ONLYDIR)", "linux_watch"),
    ("fill_table", "if (!s && !take_titles(l, t))",
     "if (0)", "linux_watch"),
    ("pl_published_get", "displace(l, t);",
     "(void)displace;", "attacks"),
    ("look_for_all", "late = n % CLOCK_STRIDE == 0 && pl_regions_have_searched(r);", "",
     "attacks_more/More.test_folders_without_end"),
    ("looks_like_another", "strpbrk(name, \"\\\\()\") ||", "",
     "attacks_more/More.test_names_that_look_like_another_path"),
    ("looks_like_another", "*name == ' ' ||", "", "attacks_more/More.test_names_that_look_like_another_path"),
    ("pl_regions_admit", "if (is_row_affordable(r, g))", "if (is_row_affordable(r, g) || 1)", "linux_strangers"),
    ("chain", "if (pl_regions_lists(r, r->regions[i]))", "", "linux_strangers"),
    ("has_worked_enough", "who->work >= MAX_WORK_OF_ONE", "0", "linux_strangers"),
    ("find_place", "pl_regions_unsettle(&r->folders[dir]); r->unfinished = true;", "r->unfinished = true;",
     "linux_strangers"),
    ("find_place", "r->unfinished = true;", "", "linux_strangers"),
    ("pl_publishers_begin", "who->work = 0;", "", "linux_strangers"),
    ("is_most", "seen > (all - left) / 2", "1", "attacks/Folders.test_who_fills_the_folder_with_bytes_is_named"),
    ("is_full", "(fs.f_blocks && fs.f_bavail < fs.f_blocks / FULL)", "0",
     "attacks/Folders.test_who_fills_the_folder_with_bytes_is_named"),
    ("is_full", "(fs.f_files && fs.f_ffree < fs.f_files / FULL)", "0",
     "attacks/Folders.test_the_folder_has_a_file_system_of_its_own"),
    ("print_health", "missed ? \"no damage\" : \"good\"", "\"good\"", "repair"),
    ("pl_log_counts_lost", "if (!causes[i] || !t->missed[i])", "if (!causes[i])", "repair"),
    ("looks_like_another", "strstr(name, APART) ||", "", "attacks/Identity"),
    ("hear_of_parent", "if (!(e->mask & IN_ISDIR)) return;",
     "return;", "attacks/Folders"),
    ("open_below", ".resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH",
     ".resolve = 0", "attacks"),
    ("label", "if (g->publisher->stranger && !is_process_of",
     "if (0 && !is_process_of", "attacks"),
    ("pl_publisher_pay", "who->allowance -= (int64_t)bytes;",
     "who->allowance -= 0;", "attacks publishers"),
    ("pl_publisher_pay", "if ((int64_t)bytes > who->allowance + CREDIT) return false;",
     "", "publishers"),
    ("pl_publisher_may_note", "who->notes--;",
     ";", "publishers"),
    ("is_gone", "return who->allowance >= 0;",
     "return true;", "publishers"),
    ("folder", "return n < 4;",
     "return n < 3;", "attacks"),
    ("has_lost_session", "at->record.seq <= 1 && o->good_end &&",
     "0 &&", "reader"),
    ("takes_record", "(x->session == o->segment && x->seq < o->segment_seq)",
     "0", "reader"),
    ("takes_record", "if (x->session == o->stray ||",
     "if (", "reader"),
    ("takes_session", "at->at - s->place < o->good_end)) {",
     "0)) {", "reader"),
    ("takes_record", "descends_from_any(o, x->session) ||",
     "", "reader"),
    ("has_lost_session", "(o->good_end - 1) / BLOCK == at->at / BLOCK",
     "1", "reader"),
    ("pl_reader_continue", "r->origin = (struct pl_origin){ 0 };",
     "", "strays"),
    ("pl_writer_add_session", "s.place = w->size + w->batch.bytes.len;",
     "", "strays"),
    ("pl_writer_open_first", "w->session_id = new_id(first.first_session);",
     ";", "strays"),
    ("check_existing", "t->first_session = r.session;",
     "", "strays"),
    ("begins_formula", "if (n >= 3 && !memcmp(p, wide_signs[i], 3))",
     "if (0)", "csv"),
    ("must_be_quoted", "(c->style.guard && (byte == ',' || byte == ';' || byte == '\\t'))",
     "0", "csv"),
    ("make_part", "if (f && replaces && pl_file_set_rights(o->part, kept)) {",
     "if (0) {", "cli"),
    ("pl_host_logs_rights", "all &= rights;",
     ";", "cli"),
    ("make_part", "f = pl_file_stream_new(o->part, replaces ? 0600 : o->rights);",
     "f = pl_file_stream(o->part, \"wb\");", "cli races"),
)


def check_texts():
    tree, bad = Tree(ROOT, SOURCES), 0
    for name, expression, replacement, _ in MUTANTS:
        try:
            tree.find(name, expression)
            if expression == replacement:
                raise NotOnce("%s: no change: %r" % (name, expression))
        except NotOnce as e:
            print(e)
            bad += 1
    return bad


def build(folder, targets):
    done = subprocess.run(["cmake", "--build", "build", "--target", *targets], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def targets_of(tests):
    programs = {f[5:-2] for _, _, files in os.walk(os.path.join(ROOT, "tests")) for f in files
                if f.startswith("test_") and f.endswith(".c")}
    found = set()
    for test in (t.partition("/")[0] for t in tests.split()):
        found |= {"test_" + test} if test in programs else {"perflog", "put_blocks", "peak", "make_log", "worker"}
    return sorted(found)


def noticed(folder, tests):
    """The first test that fails or does not end, None if all pass."""
    for test in tests.split():
        name, _, part = test.partition("/")
        try:
            code = subprocess.run(["ctest", "--test-dir", "build", "-R", "^%s$" % name, "--no-tests=error",
                                   "--timeout", str(TIMEOUT)],
                                  cwd=folder, env=dict(os.environ, PERFLOG_TEST_ONLY=part),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=TIMEOUT + 60).returncode
        except subprocess.TimeoutExpired:
            code = 1
        if code:
            return test
    return None


def copy_changed(source, copy):
    """What was put back after a mutant keeps its time, and so is built again."""
    if not os.path.exists(copy) or not filecmp.cmp(source, copy, shallow=False):
        shutil.copy(source, copy)


def prepare(folder):
    os.makedirs(folder, exist_ok=True)
    for part in PARTS:
        source, copy = os.path.join(ROOT, part), os.path.join(folder, part)
        if os.path.isdir(source):
            shutil.copytree(source, copy, copy_function=copy_changed, dirs_exist_ok=True)
        else:
            copy_changed(source, copy)
    data = os.path.join(ROOT, "..", "shared", "data")
    subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DPERFLOG_MAN=OFF", "-DPERFLOG_SHARED_DATA=" + os.path.abspath(data)], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL)


def main(folder, first=0, last=len(MUTANTS)):
    prepare(folder)
    tests = " ".join(m[3] for m in MUTANTS[first:last])
    good, output = build(folder, targets_of(tests))
    if not good:
        sys.exit("the tree as it is does not build:\n" + output)
    failing = noticed(folder, " ".join(sorted(set(tests.split()))))
    if failing:
        sys.exit("the tree as it is fails '%s'" % failing)
    killed, survived = 0, []
    tree = Tree(folder, SOURCES)
    for number, (name, expression, replacement, tests) in list(enumerate(MUTANTS))[first:last]:
        started = time.monotonic()
        path, begin, end = tree.find(name, expression)
        target = os.path.join(folder, path)
        with open(target, encoding="utf-8") as f:
            source = f.read()
        try:
            with open(target, "w", encoding="utf-8") as f:
                f.write(source[:begin] + replacement + source[end:])
            good, output = build(folder, targets_of(tests))
            by = noticed(folder, tests) if good else None
        finally:
            with open(target, "w", encoding="utf-8") as f:
                f.write(source)
        result = "killed by " + by if by else "SURVIVED" if good else "DOES NOT BUILD"
        killed += bool(by)
        if not by:
            survived.append(number)
        print("%3d %-24s %-20s %4d s  %s" % (number, name, result, time.monotonic() - started, expression), flush=True)
    print("%d of %d killed; not: %s" % (killed, last - first, survived or "none"))
    return 1 if survived else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--apply-only"]:
        sys.exit(1 if check_texts() else 0)
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or check_texts():
        sys.exit("usage: mutants.py --apply-only | FOLDER [FIRST [LAST]]; every expression must be found once")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was changed is put back
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:])))
