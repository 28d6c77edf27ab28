#!/usr/bin/env python3
"""Seeded bugs: each is built into a copy of the tree, and the tests named must notice.

    mutants.py --apply-only          every text is there exactly once (a test of its own)
    mutants.py FOLDER [FIRST [LAST]] build and run; FOLDER is made and kept, for the next time

A mutant is (file, text, replacement, tests); "bombs/Search" is class Search of test_bombs.py alone.
Takes an hour or two; nothing in FOLDER is read but what this script wrote.
"""
import filecmp
import os
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "format", "logger", "analyze", "perflog.c", "tests")
TIMEOUT = 600

MUTANTS = (
    # ---- format: what is proven before it is used
    ("format/log/record.c", "if (pl_get_le64(in + AT_HEADER_HASH) != pl_hash(in, AT_HEADER_HASH, 0))",
     "if (pl_get_le64(in + AT_HEADER_HASH) == 1)", "record reader"),
    ("format/log/record.c", "if (!r->session || r->stored_len > PL_MAX_PAYLOAD ||", "if (r->stored_len > PL_MAX_PAYLOAD ||",
     "record"),
    ("format/log/record.c", "r->raw_len > PL_MAX_PAYLOAD)", "r->raw_len > 2u * PL_MAX_PAYLOAD)", "record"),
    ("format/log/record.c", "from = (size_t)(hit - p) + 1;", "from = (size_t)(hit - p) + 8;", "record reader damage"),
    ("format/log/record.c", "size_t last = n < PL_RECORD_LEN ? 0 : n - PL_RECORD_LEN + 1;",
     "size_t last = n < PL_RECORD_LEN ? 0 : n - PL_RECORD_LEN;", "record"),
    ("format/log/record_scan.c", "out->record.session) != out->record.payload_hash)", "out->record.session) == 1)", "reader damage"),
    ("format/log/record_scan.c", "if (!pl_codec_is_plausible(&out->record)) {", "if (0) {", "bombs/Search"),
    ("format/log/record_scan.c", "from = base + got - PL_RECORD_LEN + 1;", "from = base + got;", "bombs/Search"),
    ("format/log/record.h", "return r->type == PL_SESS && r->session != session;", "return r->type == PL_SESS;",
     "reader damage writer"),
    ("format/log/record_scan.c", "if (s->vain > work_bound(s)) {", "if (0) {", "hostile"),
    ("format/log/record_scan.c", "if (record->session == out->record.session ||", "if (", "reader damage"),
    ("format/log/interrupted.c", "*filled = !flipped;", "*filled = true;", "reader damage"),
    ("format/log/interrupted.c", "if (zeros <= padding)", "if (0)", "reader"),
    ("format/log/interrupted.c", "if (*filled || zeros + behind <= PL_MIN_FENCE)", "if (*filled)", "reader"),
    ("format/log/interrupted.c", "return pl_record_is_fresh(&r, session) ? n : PL_MIN_FENCE;", "return n;", "reader damage"),
    ("format/log/interrupted.c", "return s->live ? PL_MIN_FENCE : n;", "return PL_MIN_FENCE;", "reader"),
    ("format/log/interrupted.c", "t->before_session = t->before;", "", "damage"),
    ("format/log/interrupted.c", "(fenced ? before : at) < PL_RECORD_LEN", "at < PL_RECORD_LEN", "damage"),
    ("format/log/interrupted.c", "(filled && before < claim && claim + PL_MIN_FENCE <= at)", "0", "damage"),
    ("format/log/record_scan.c", "else if (used < PL_RECORD_LEN || claim", "else if (claim", "reader"),
    ("format/log/record_scan.c", "(filled && used < claim) ||", "filled ||", "reader damage"),
    ("format/log/record_scan.c", "        if (tail)\n            pl_tail_note(tail, base, p, hit);\n", "", "reader"),
    ("format/log/codec.c", "pl_hash(out->p, out->len, r->session) != r->raw_hash)", "0)", "codec reader"),
    ("format/log/codec.c", "size < least || size > most || ZSTD_findFrameCompressedSize(p, n) != n)",
     "size < least || size > most)", "codec"),
    ("format/log/codec.c", "return 2 * (size_t)raw_len + TOKEN_SLACK;", "return 2 * (size_t)raw_len + TOKEN_SLACK + 1;",
     "codec"),
    ("format/log/delta.c", "if (c.bad || equal > len - at || differ > len - at - equal ||", "if (c.bad || equal > len - at ||",
     "delta"),
    ("format/log/delta.c", "if (n > ref_words || src - 1 > ref_words - n ||", "if (n > ref_words || src > ref_words - n ||",
     "delta"),
    ("format/log/delta.c", "return words || data.bad || data.left ? PL_CORRUPT : PL_OK;",
     "return words || data.bad ? PL_CORRUPT : PL_OK;", "delta"),
    ("format/log/delta.c", "if (!same_value(a, b, &id->counters[i]))", "if (id->num > 9)", "delta_plan size"),
    ("format/log/delta.c", "return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);", "return v >> 1;", "delta"),
    ("format/log/reader.c", "} else if (record->seq > r->next_seq) {", "} else if (record->seq > r->next_seq + 1) {", "reader"),
    ("format/log/reader.c", "} else if (record->seq != r->follower) {", "} else if (0) {", "reader"),
    ("format/log/reader_records.c", "if (record->raw_len > r->max_block) {", "if (0) {", "reader"),
    ("format/log/reader_records.c", "if (seq != r->key_seq)", "if (0)", "reader"),
    ("format/log/reader_records.c", "if (r->key_slot == NO_SLOT && r->has_key_at)", "if (0)", "bombs/Large"),
    ("format/log/reader_records.c", "r->has_key_at = !pl_file_is_stream(r->scan.file);", "r->has_key_at = true;", "bombs/Large"),
    ("format/log/record_scan.c", "    pl_buf_bytes(&rest, s->window.p + done, s->window.len - done);\n", "", "bombs/Large"),
    ("format/log/delta.c", "if (p > end || (!c.src && c.len > (size_t)(end - p) / WORD))", "if (0)", "delta"),
    ("format/log/reader.c", "if (only_zeros(p, got))", "if (0)", "cli"),
    ("analyze/input/log_discovery.c", "if (!next)\n            return PL_ZEROS;", "", "cli"),
    ("analyze/copy/log_output.c", "options.is_copy = true;", "", "repair"),
    ("format/log/segment.c", "segment_at(&s, (start + i) % s.num)", "segment_at(&s, i)", "segments"),
    ("format/log/segment.c", "strcmp(one, current) != 0 && !is_written(one)", "strcmp(one, current) != 0", "segments"),
    ("format/log/reader.c", "*again = record->seq < r->next_seq && !take_missing(r, record->seq);",
     "*again = record->seq < r->next_seq;", "reader"),
    ("format/log/reader.c", "find_seen(r, r->session)->next_seq = r->next_seq;", ";", "reader"),
    ("format/block/winperf.h", "c->offset > i->block_len ||\n        c->size > i->block_len - c->offset)",
     "c->offset > i->block_len)", "winperf misfit"),
    ("format/block/winperf_read.c", "if (values > o->data.left + (uint64_t)PL_MAX_COUNTERS)", "if (0)", "winperf misfit"),
    ("format/block/winperf_read.c", "at > len || name_len > len - at", "at > len",
     "winperf misfit"),
    # ---- format: writing, files, names
    ("format/base/file_posix.c", "from += part;", "from += n;\n        part = (ssize_t)n;", "faults"),
    ("format/base/file_posix.c", "O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;",
     "O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;", "cli races"),
    ("format/base/file_posix.c", "return !lstat(path, &st) && S_ISLNK(st.st_mode) ? PL_UNSAFE : PL_OK;", "return PL_OK;",
     "races"),
    ("format/base/file_posix.c", "if (st->st_nlink != 1)", "if (0)", "cli races"),
    ("format/base/file_posix.c", "if (st->st_uid != geteuid())", "if (0)", "cli races"),
    ("format/base/file_posix.c", "if (st->st_mode & (S_IWGRP | S_IWOTH))", "if (0)", "cli"),
    ("format/base/folder_posix.c", "return !lstat(path, &st);", "return !stat(path, &st);", "new_log repair races"),
    ("format/base/file_posix.c", "else if (must_be_new) /* it is ours", "else if (0) /* it is ours", "import_faults"),
    ("format/log/writer_segments.c", "start_segment(w, utc_ns);\n    pl_writer_begin(w);", "pl_writer_begin(w);", "segments"),
    ("format/log/writer_segments.c", "if (!s && w->space_low && !w->file)", "if (0)", "full_disk cli faults"),
    ("format/base/utf.c", "if (code < 0x20 || (code >= 0x7F && code < 0xA0))", "if (code < 0x20 || code == 0x7F)", "utf names"),
    ("format/base/utf.c", "(code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;", "code == 0xFEFF;", "utf names"),
    ("format/block/counter_path.c", "strchr(\"*?#[\", p[1])", "strchr(\"*?[\", p[1])", "path select"),
    # ---- logger
    ("logger/record/clock.c", "if (step >= -most && step <= most)", "if (step >= -most)", "clock"),
    ("logger/record/clock.c", "out->missed = (uint32_t)((newest - t->due_utc) / t->interval_ns);",
     "out->missed = (uint32_t)((newest - t->due_utc) / t->interval_ns) + 1;", "clock"),
    ("logger/record/clock.c", "out->suspended = slept - t->slept_ns > t->interval_ns / 2;", "out->suspended = false;", "clock"),
    # ---- analyze: pairs and numbers
    ("analyze/calc/calc.c", "if (newer >= older)\n        return true;", "return true;", "calc time"),
    ("analyze/calc/calc.c", "if (to < from || delta > INT64_MAX)", "if (0)", "calc"),
    ("analyze/calc/calc.c", "if (older->perf_freq != newer->perf_freq || older->size != newer->size)",
     "if (older->size != newer->size)", "calc"),
    ("analyze/calc/calc.c", "PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  true,  true,  false,  average_seconds }",
     "PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  true,  true,  false,  average }", "calc"),
    ("analyze/replay/replay.c", "    unpair(r, PL_CELL_FIRST);\n    r->ended = false;", "    r->ended = false;", "replay time"),
    ("analyze/replay/replay.c", "    case PL_ITEM_HOLE:\n        unpair(r, PL_CELL_GAP);", "    case PL_ITEM_HOLE:", "replay time"),
    ("analyze/replay/replay.c", "        else if (loses_samples(item->gaps.cause))\n            unpair(r, PL_CELL_GAP);", "", "replay time"),
    ("analyze/replay/replay.c", "r->foreign_clock && (item->record.flags & PL_FLAG_CLOCK_STEPPED);", "false;", "time"),
    ("analyze/replay/replay.c", "return w->has_from && t <= w->from_ns;", "return w->has_from && t < w->from_ns;",
     "replay export cut"),
    ("analyze/replay/instance_match.c", "        if (same_identity(o, i)) {", "        if (1) {", "time"),
    ("analyze/replay/instance_match.c", "if (same_name && same_identity(same_name, i)) {", "if (same_name) {", "replay export"),
    ("analyze/replay/counter_delta.h", "if (*n < n0)\n        return false;", "", "replay calc time export"),
    ("analyze/replay/vanished_series.c", "    p->in_plan[plan->counters[i].slot] = true;", "    p->in_plan[plan->counters[0].slot] = true;",
     "replay sheet"),
    ("analyze/replay/sample_view.c", "(g->numbered && !samples->steady) ||", "", "sample replay"),
    ("analyze/replay/sample_view.c", "if (g->row != row && g->total_of != samples->serial)", "if (g->row != row)", "calculated"),
    ("analyze/replay/block_signature.c", "if (memcmp(was + r->at, now + r->at, r->len))", "if (was == now + r->len)", "frame"),
    ("analyze/replay/sample_view.c", "    pl_block_signature_definitions(&samples->frame, view);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "        pl_block_signature_header(&samples->frame, &view);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "        pl_block_signature_instance(&samples->frame, &now->block, &i->view);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "    pl_block_signature_bytes(\n        &samples->frame, walk.at + walk.len - walk.data.left, walk.data.left);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "    pl_block_signature_bytes(&samples->frame, walk.len - walk.rest.left,\n                             walk.rest.left);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "        samples->frame.known &= !i->view.parent_object; /* which has a name */\n", "", "frame"),
    ("analyze/replay/sample_view.c", "s == PL_END && whole && !samples->crowded && !samples->made_up;", "!samples->crowded && !samples->made_up;",
     "frame"),
    ("analyze/replay/sample_view.c", "return samples->frame_titles == samples->titles_version &&\n", "return\n", "frame replay"),
    ("analyze/replay/sample_view.c", "if (same && samples->twins &&\n", "if (same &&\n", "frame replay"),
    ("analyze/replay/sample_view.c", "pl_sample_view_older(samples)->block.bytes == next.bytes)", "1)", "frame replay"),
    ("analyze/replay/sample_view.c", "    was->row = now->row;\n", "    was->row = row;\n", "frame replay"),
    ("analyze/replay/sample_view.c", "        pl_object_read_clock(&o->view);\n", "", "frame"),
    ("analyze/replay/sample_view.c", "            if (o->plan->num_identity)\n", "            if (0)\n", "frame"),
    ("analyze/replay/sample_view.c", "            i->paired = false;\n", "", "frame"),
    ("analyze/replay/object_total.c", "            g->row != row && g->total_of", "            g->total_of", "frame"),
    ("analyze/replay/object_total.c", "    if (t->group->numbered) /* as others may be, by all that is before them */\n        samples->frame.known = false;\n", "",
     "frame"),
    ("analyze/replay/object_total.c", "            total->odd++;\n", "", "frame"),
    ("analyze/replay/object_total.c", "if (p->want_steps || t->good || t->bad || t->too_large)", "if (p->want_steps || t->good || t->bad)", "frame"),
    ("analyze/replay/object_total.c", "if (p->want_steps || t->good || t->bad || t->too_large)", "if (p->want_steps || t->too_large)", "frame"),
    ("analyze/replay/object_total.c", "if (t->quick.clock == PL_CLOCK_NONE || !mean->usable)", "if (!mean->usable)", "frame"),
    ("analyze/replay/object_total.c", "    look_at_mean(quick, t->quick, &mean);", "    look_at_mean(quick, 1, &mean);", "frame replay"),
    ("analyze/replay/row_values.c", "            total->odd += simple;\n", "", "frame"),
    ("analyze/replay/counter_delta.c", "    if (uses(pair->plan, PL_CLOCK_OBJECT) &&\n", "    if (0 &&\n", "frame"),
    ("analyze/replay/counter_plan.c", "q->older = q->way == PL_WAY_DELTA ? UINT64_MAX : 0;", "q->older = UINT64_MAX;", "frame replay"),
    ("analyze/output/number.cc", "constexpr double few_limit = 1e7;", "constexpr double few_limit = 1e9;", "number"),
    ("analyze/output/number.cc", "if (static_cast<double>(digits) / few_scale != v)", "if (digits == 0)", "number"),
    ("format/base/cursor.h", "        if (last >> 63 == 0) {", "        if (1) {", "cursor"),
    ("analyze/replay/sample_view.c", "continue; /* the same object twice: the first one counts */", ";", "bombs/Search"),
    ("analyze/replay/sample_view.c", "bool has = r->slots + more <= r->bytes / LEAST_SLOT + FREE_SLOTS;", "bool has = true;", "bombs"),
    ("analyze/replay/series_registry.c", "return (struct pl_text){ t.p, t.n ? strnlen(t.p, t.n) : 0 };", "return t;", "names"),
    ("analyze/replay/series_registry.c", "struct pl_text name = until_nul(raw);\n    uint64_t own",
     "struct pl_text name = until_nul(raw);\n    machine_hash = 0;\n    uint64_t own", "sheet"),
    # ---- analyze: imports
    ("analyze/foreign/foreign.c", "    if (has_signature(look, got))", "    if (0)", "import"),
    ("analyze/import/import_foreign.c", "    if (!code && im->plan->sources->num_refused)", "    if (0)", "import"),
    ("analyze/import/import_foreign.c", "    if (why == PL_IO || why == PL_NOMEM)", "    if (why == PL_NOMEM)", "import"),
    # ---- analyze: outputs
    ("analyze/output/csv.c", "return byte && strchr(\"=+-@\\t\\r\\n\", byte);", "return byte && strchr(\"=+-\\t\\r\\n\", byte);",
     "csv names"),
    ("analyze/output/csv.c", "if (style->guard && n && begins_formula(p[0]))", "if (0)", "csv names"),
    ("analyze/output/csv.c", "    if (style->visible) {", "    if (0) {", "names"),
    ("analyze/output/csv.c", "pl_utf8_put(out, code ? code : 0xFFFD);", "pl_utf8_put(out, code ? code : ' ');", "csv"),
    ("analyze/output/json.c", "if (code == '\"' || code == '\\\\' || pl_is_control(code))", "if (code == '\"' || code == '\\\\')",
     "json names"),
    ("analyze/output/output_file.c", "f = pl_file_stream(o->part, \"wbx\");", "f = pl_file_stream(o->part, \"wb\");", "cli races"),
    ("analyze/copy/log_output.c", "s = pl_file_rename_new(log->part, log->path);",
     "s = rename(log->part, log->path) ? PL_IO : PL_OK;", "new_log races"),
    ("analyze/query/rows_csv.c", "(uint64_t)(pl_zone_offset(utc_ns) * PL_NS_PER_SEC));", "(uint64_t)(pl_zone_offset(0) * PL_NS_PER_SEC));", "sheet time export"),
    ("format/cli/message.c", "pl_utf8_visible(&line, text, (size_t)n);", "pl_buf_bytes(&line, text, (size_t)n);", "names cli"),
    # ---- published counters: the library, and who reads it
    ("logger/provider/pl_provider.h", "(void)__atomic_fetch_add(&w->v, n, __ATOMIC_RELAXED);", "__atomic_store_n(&w->v, __atomic_load_n(&w->v, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);", "provider"),
    ("logger/provider/pl_provider.c", "put(&s.words[w].v, 0);", ";", "provider"),
    ("logger/provider/region_file_posix.c", "MREMAP_MAYMOVE | MREMAP_FIXED, f->map) !=", "MREMAP_MAYMOVE, f->map) !=",
     "provider linux_regions"),
    ("logger/provider/region_file_posix.c", "    *f->path = 0;\n    if (own == MAP_FAILED)", "    if (own == MAP_FAILED)", "provider"),
    ("logger/provider/pl_provider.c", "            close_region(p);\n", "            ;\n", "provider_faults"),
    ("logger/provider/system_posix.c", "    return unprepared;\n", "    return 0;\n", "provider_faults"),
    ("logger/provider/region_file_posix.c", "while (error == EINTR);", "while (0);", "provider_faults"),
    ("logger/provider/region_file_posix.c", "fs.f_type != TMPFS_MAGIC", "0", "provider"),
    ("logger/provider/region_file_posix.c", "error = posix_fallocate(f->fd, 0, (off_t)f->size);", "error = ftruncate(f->fd, (off_t)f->size);",
     "provider"),
    ("logger/provider/region_layout.c", "code < least[n] ||", "", "provider"),
    ("logger/region/region_read.c", "load(&sync->enter) == ended ? PL_COPIED_GOOD : PL_COPIED_LOOSE;", "PL_COPIED_GOOD;",
     "linux_regions"),
    ("logger/region/region_read.c", "if (load(&h->sync.enter) == ended)", "if (1)", "linux_regions"),
    ("logger/region/region_read.c", "    if (load(&slot->serial) != serial)\n        return false;\n", "", "linux_regions"),
    ("logger/region/region_read.c", "n > object_of(p)->name_max ||", "", "linux_regions"),
    ("logger/region/region_read.c", "if (!pl_region_is_text(name, n)) {", "if (0) {", "linux_regions"),
    ("logger/region/region_validate.c", "c[i].word >= o->val_stride / sizeof(uint64_t)", "0", "linux_regions"),
    ("logger/region/region_validate.c", "(val_end - o->val_at) / o->val_stride < slots", "0", "linux_regions"),
    ("logger/region/region_validate.c", "h->order != PL_REGION_ORDER || h->critical", "h->order != PL_REGION_ORDER", "linux_regions"),
    ("logger/linux/published/regions.c", "if (!held || g->image.closed) {", "if (!held) {", "linux_regions"),
    ("logger/linux/published/region_open.c", "if (st.st_mode & 022)", "if (0)", "linux_regions"),
    ("logger/linux/published/region_find.c", "return num <= MAX_USER_REGIONS;", "return true;", "linux_regions"),
    ("logger/linux/published/region_open.c", "if (g->chances > 1)", "if (0)", "linux_regions"),
    ("logger/linux/published/published_block.c", "at->serial == c->parent_serial && ", "", "linux_published"),
    ("logger/linux/published/published_block.c", "(c->copied == PL_COPIED_LOOSE && !o->is_ratio)", "c->copied == PL_COPIED_LOOSE",
     "linux_published"),
    ("logger/region/region_read.c", "const uint64_t who[2] = { r->region_id, serial };", "const uint64_t who[2] = { r->region_id, 1 };",
     "linux_published"),
    ("logger/linux/published/published_block.c", "if (!o->namesake->holder) {", "if (!o->holder) {", "linux_published"),
    # ---- what never harms the application
    ("logger/provider/system_posix.c", "PTHREAD_MUTEX_RECURSIVE);", "PTHREAD_MUTEX_NORMAL);", "provider_faults"),
    ("logger/provider/system_posix.c", "    make_lock();\n", "", "provider_faults"),
    ("logger/provider/system_posix.c",
     "    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);\n    pthread_mutex_lock(&lock);",
     "    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);\n    pthread_mutex_lock(&lock);", "provider_faults"),
    ("logger/provider/region_file_posix.c", "    error = lock_file(f->fd); /*", "    error = 0; /*", "provider_faults linux_regions"),
    ("logger/provider/region_file_posix.c", "if (!getrlimit(RLIMIT_FSIZE, &most) && f->size > most.rlim_cur)", "if (0)",
     "provider_faults"),
    ("logger/provider/pl_provider.c", "    errno = error;\n", "", "provider_faults"),
    ("logger/provider/pl_provider.c", "header_of(p)->pid != pl_prov_process())", "0)", "provider_faults"),
    ("logger/provider/pl_provider.c", "(parent->prov != p || parent->object >= k)", "(parent->object >= k)", "provider"),
    # ---- what need not be asked
    ("logger/linux/published/region_watch.c", "IN_MODIFY | IN_CLOSE_WRITE", "IN_CLOSE_WRITE", "linux_watch"),
    ("logger/linux/published/region_watch.c", "IN_MODIFY | IN_CLOSE_WRITE", "IN_MODIFY", "linux_watch linux_regions"),
    ("logger/linux/published/region_watch.c", "IN_CREATE | IN_MOVED_TO | IN_ONLYDIR", "IN_CREATE | IN_ONLYDIR", "linux_watch"),
    ("logger/linux/published/region_watch.c", "if (e->mask & IN_Q_OVERFLOW)", "if (0)",
     "linux_watch"),
    ("logger/linux/published/region_watch.c", "if (n > HEARD_SIZE - LONGEST)", "if (0)", "linux_watch"),
    ("logger/linux/published/region_watch.c", "    pl_regions_unsettle(f);\n", "", "linux_watch"),
    ("logger/linux/published/region_parts.h", "return (r->pass + g->inode) % ASK_AGAIN == 0;", "return r->pass == 0;", "linux_watch"),
    ("logger/linux/published/region_parts.h", "return g->settled && r->pass > r->doubted &&", "return g->settled &&", "linux_watch"),
    ("logger/linux/published/regions.c", "g->settled = held && !reason && g->watch >= 0;", "g->settled = !reason && g->watch >= 0;",
     "linux_watch linux_regions"),
    ("logger/linux/published/regions.c", "            if (!g->last)\n                pl_regions_unsettle(&r->folders[g->dir]);\n", "",
     "linux_watch"),
    ("logger/linux/published/region_find.c", "f->settled = f->watch >= 0 && !f->missed;", "f->settled = !f->missed;", "linux_watch"),
    ("logger/linux/published/region_find.c", "if (used[d] || f->fd < 0)", "if (f->fd < 0)", "linux_watch"),
    ("logger/linux/published/region_find.c", "    drop_folders(r);\n", "", "linux_watch"),
    ("logger/region/region_read.c", "        p->stopped = true;", "        ;", "linux_watch"),
    ("logger/linux/published/published.c", "if (!s && is_stranger && !has_titles(l, t))", "if (0)", "linux_watch"),
    ("logger/linux/published/region_find.c", "        if (pl_regions_are_late(r))\n            return PL_OK;\n        if (num", "        if (num",
     "linux_watch"),
)


def check_texts():
    bad = 0
    for path, text, replacement, _ in MUTANTS:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            found = f.read().count(text)
        if found != 1 or text == replacement:
            print("%s: found %d times: %r" % (path, found, text))
            bad += 1
    return bad


def build(folder, targets):
    done = subprocess.run(["cmake", "--build", "build", "--target", *targets], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def targets_of(tests):
    scripts = {f[5:-3] for f in os.listdir(os.path.join(ROOT, "tests", "cli"))
               if f.startswith("test_") and f.endswith(".py")}
    found = set()
    for test in (t.partition("/")[0] for t in tests.split()):
        found |= {"perflog", "put_blocks", "peak", "make_log"} if test in scripts else {"test_" + test}
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
    for number, (path, text, replacement, tests) in list(enumerate(MUTANTS))[first:last]:
        started = time.monotonic()
        target = os.path.join(folder, path)
        with open(target, encoding="utf-8") as f:
            source = f.read()
        try:
            with open(target, "w", encoding="utf-8") as f:
                f.write(source.replace(text, replacement))
            good, output = build(folder, targets_of(tests))
            by = noticed(folder, tests) if good else None
        finally:
            with open(target, "w", encoding="utf-8") as f:
                f.write(source)
        result = "killed by " + by if by else "SURVIVED" if good else "DOES NOT BUILD"
        killed += bool(by)
        if not by:
            survived.append(number)
        print("%3d %-24s %-20s %4d s  %s" % (number, path, result, time.monotonic() - started,
                                             text.split("\n")[0].strip()), flush=True)
    print("%d of %d killed; not: %s" % (killed, last - first, survived or "none"))
    return 1 if survived else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--apply-only"]:
        sys.exit(1 if check_texts() else 0)
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or check_texts():
        sys.exit("usage: mutants.py --apply-only | FOLDER [FIRST [LAST]]; every text must be found once")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was changed is put back
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:])))
