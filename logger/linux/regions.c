/* The regions that applications publish: finding, opening, letting go. */
#include "logger/linux/regions.h"

#include "format/utf.h"
#include "logger/linux/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_REGIONS = 1024,
    MAX_USER_REGIONS = 64, /* of a user who is neither root nor ours */
    MAX_USER_BYTES = 64 << 20,
    MAX_BYTES = 256 << 20,
    MAX_FOLDERS = 256,
    MAX_ENTRIES = 16384, /* looked at in a folder per sample */
    ENTRIES_SIZE = 32768,
    BUDGET = 10, /* part of the interval */
    LIST_AGAIN_S = 10,
    TMPFS_MAGIC = 0x01021994,
    CLOCK_STRIDE = 16,
    NUM_LISTS = 2048,
    MAX_TOLD = 8, /* changes of one region */
};
#define NS_PER_MS INT64_C(1000000)
#define DEFAULT_BUDGET_NS (100 * NS_PER_MS)

struct folder {
    char *path;
    int fd;
    uint64_t device, inode;
};

struct pl_regions {
    struct pl_machine *machine;
    struct pl_published_list tables;
    struct folder folders[MAX_FOLDERS];
    unsigned num_folders;
    int64_t listed_ns; /* when folders were looked for */
    struct pl_region **regions;
    size_t num;
    struct pl_region *by_inode[NUM_LISTS];
    size_t first; /* whose turn it is to be copied first */
    uint64_t pass;
    int64_t budget_ns, deadline_ns;
    char *entries;
};

static int64_t now_ns(void)
{
    struct timespec t = { 0, 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool is_late(const struct pl_regions *r)
{
    return now_ns() >= r->deadline_ns;
}

/* ---- folders -----------------------------------------------------------------*/

/* Remember a folder, if it is one, on tmpfs, and new. */
static void add_folder(struct pl_regions *r, int dir, const char *path)
{
    struct folder *f = &r->folders[r->num_folders];
    struct statfs fs;
    struct stat st;
    int fd;

    if (r->num_folders == MAX_FOLDERS)
        return;
    r->machine->system_calls++;
    fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    r->machine->system_calls += 2;
    if (fstat(fd, &st) || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC) {
        close(fd);
        return;
    }
    for (unsigned i = 0; i < r->num_folders; i++) {
        if (r->folders[i].device == st.st_dev &&
            r->folders[i].inode == st.st_ino) {
            close(fd);
            return;
        }
    }
    f->path = strdup(path);
    if (!f->path) {
        close(fd);
        return;
    }
    f->fd = fd;
    f->device = st.st_dev;
    f->inode = st.st_ino;
    r->num_folders++;
}

/* Root sees those of all users: 'below' in each "PREFIXuser" of 'path'. */
static void add_folders_of_all(struct pl_regions *r, const char *path,
                               const char *prefix, const char *below)
{
    DIR *dir = opendir(path);
    size_t skip = strlen(prefix);
    struct dirent *e;
    char found[PATH_MAX];

    for (int n = 0; dir && n < MAX_ENTRIES && (e = readdir(dir)); n++) {
        const char *user = e->d_name + skip;

        if (strncmp(e->d_name, prefix, skip) || !*user ||
            user[strspn(user, "0123456789")])
            continue;
        if (snprintf(found, sizeof found, "%s/%s%s", path, e->d_name, below) <
            PATH_MAX)
            add_folder(r, AT_FDCWD, found);
    }
    if (dir)
        closedir(dir);
}

static void look_for_folders(struct pl_regions *r)
{
    const char *named = secure_getenv("PERFLOG_PROVIDER_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];

    r->listed_ns = now_ns();
    if (named && *named) {
        add_folder(r, AT_FDCWD, named);
        return;
    }
    add_folder(r, AT_FDCWD, PL_REGION_SYSTEM_DIR);
    if (runtime && snprintf(path, sizeof path, "%s/" PL_REGION_RUNTIME_DIR,
                            runtime) < PATH_MAX)
        add_folder(r, AT_FDCWD, path);
    snprintf(path, sizeof path, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
             (unsigned)geteuid());
    add_folder(r, AT_FDCWD, path);
    if (geteuid() == 0) {
        add_folders_of_all(r, "/run/user", "", "/" PL_REGION_RUNTIME_DIR);
        add_folders_of_all(r, PL_REGION_SHM, PL_REGION_SHM_PREFIX, "");
    }
}

/* ---- one region ----------------------------------------------------------------*/

static void release_copy(struct pl_region *g)
{
    if (g->map)
        munmap(g->map, g->size);
    if (g->fd >= 0)
        close(g->fd);
    free(g->copies);
    free(g->values);
    free(g->names);
    g->map = NULL;
    g->fd = -1;
    g->copies = NULL;
    g->values = NULL;
    g->names = NULL;
    g->table = NULL;
    g->busy = 0;
}

static void free_region(struct pl_region *g)
{
    release_copy(g);
    free(g->file);
    free(g);
}

static void set_state(struct pl_region *g, enum pl_region_state state,
                      enum pl_region_reason reason)
{
    g->state = state;
    g->reason = reason;
    if (state == PL_STATE_INVALID || state == PL_STATE_HIDDEN)
        release_copy(g);
}

/* "PROGRAM.PID.REGIONID.plr" into label, pid and id. */
static bool take_name(struct pl_region *g)
{
    const char *p = g->file;
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-_");
    unsigned long pid;
    char *end;

    if (!n || n > PL_REGION_MAX_PROGRAM || p[n] != '.' || p[n + 1] < '1' ||
        p[n + 1] > '9')
        return false;
    errno = 0;
    pid = strtoul(p + n + 1, &end, 10);
    if (errno || pid > INT_MAX || *end != '.' ||
        strspn(end + 1, "0123456789abcdef") != 16 ||
        strcmp(end + 17, PL_REGION_SUFFIX) != 0)
        return false;
    g->pid = (uint32_t)pid;
    g->region_id = strtoull(end + 1, NULL, 16);
    snprintf(g->label, sizeof g->label, "%.*s:%lu", (int)n, p, pid);
    return true;
}

/* True while somebody holds the lock, which lives as the owner's mapping. */
static bool is_held(struct pl_regions *r, int fd)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };

    r->machine->system_calls++;
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Remove a file that nobody has any more, if it is still the same. */
static bool sweep(struct pl_regions *r, const struct pl_region *g)
{
    int dir = r->folders[g->dir].fd;
    struct stat st;

    r->machine->system_calls += 2;
    if (fstatat(dir, g->file, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT;
    return st.st_ino != g->inode || st.st_dev != g->device ||
           unlinkat(dir, g->file, 0) == 0;
}

/* ---- opening -------------------------------------------------------------------*/

/* What others of that user have already. */
static bool is_over_limit(const struct pl_regions *r, const struct pl_region *g)
{
    uint64_t all = g->size, bytes = g->size;
    size_t num = 1;

    for (size_t i = 0; i < r->num; i++) {
        const struct pl_region *o = r->regions[i];

        if (!o->map || o == g)
            continue;
        all += o->size;
        if (o->uid == g->uid) {
            bytes += o->size;
            num++;
        }
    }
    if (all > MAX_BYTES)
        return true;
    return g->uid != 0 && g->uid != geteuid() &&
           (num > MAX_USER_REGIONS || bytes > MAX_USER_BYTES);
}

static enum pl_region_reason check_file(struct pl_regions *r,
                                        struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstat(g->fd, &st))
        return PL_REASON_PERMISSION;
    g->uid = st.st_uid;
    if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_ino != g->inode)
        return PL_REASON_FILE;
    if (st.st_mode & 022)
        return PL_REASON_PERMISSION;
    if (st.st_size < (off_t)sizeof(struct pl_region_header))
        return PL_REASON_SHORT;
    if (st.st_size > PL_REGION_MAX_SIZE)
        return PL_REASON_SIZE;
    g->size = (size_t)st.st_size;
    /* Reading a hole through a mapping would fill it, at our expense. */
    if ((uint64_t)st.st_blocks * 512 < g->size)
        return PL_REASON_SPARSE;
    return is_over_limit(r, g) ? PL_REASON_LIMIT : PL_REASON_NONE;
}

/* The whole of [at, at + n), or the file is not what it said. */
static bool read_at(struct pl_regions *r, int fd, void *p, size_t n, size_t at)
{
    r->machine->system_calls++;
    return pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

static size_t longest_name(const struct pl_region_header *h,
                           const uint8_t *definitions)
{
    const struct pl_region_object *o = pl_region_objects(definitions);
    size_t longest = 0;

    for (uint32_t k = 0; k < h->num_objects; k++)
        if (o[k].name_max > longest)
            longest = o[k].name_max;
    return longest;
}

/* Everything a valid region is copied into.  PL_OK or PL_NOMEM. */
static enum pl_status make_copies(struct pl_region *g,
                                  const struct pl_region_header *h,
                                  const uint8_t *definitions)
{
    g->set_at = h->set_at;
    g->num_sets = h->num_sets;
    g->val_at = h->val_at;
    g->val_len = h->val_len;
    g->created_ns = h->created_ns;
    g->name_room = longest_name(h, definitions);
    g->copies = calloc(g->num_sets, sizeof *g->copies);
    g->values = calloc(g->val_len + 1, 1);
    g->names = calloc(g->num_sets * g->name_room + 1, 1);
    return g->copies && g->values && g->names ? PL_OK : PL_NOMEM;
}

static enum pl_status adopt(struct pl_regions *r, struct pl_region *g,
                            const struct pl_region_header *h,
                            uint8_t *definitions, enum pl_region_reason *reason)
{
    enum pl_status s = PL_OK;

    g->table = pl_published_find(&r->tables, h, definitions);
    if (g->table) {
        free(definitions);
    } else {
        s = pl_published_add(&r->tables, h, definitions, &g->table);
        if (s)
            free(definitions);
        if (s == PL_TOO_LARGE || s == PL_USAGE) {
            *reason = s == PL_USAGE ? PL_REASON_NAME : PL_REASON_LIMIT;
            return PL_OK;
        }
    }
    return s ? s : make_copies(g, h, g->table->definitions);
}

/* Copy the structure, check the copy, use the copy.  PL_OK or PL_NOMEM. */
static enum pl_status believe(struct pl_regions *r, struct pl_region *g,
                              enum pl_region_reason *reason)
{
    uint8_t head[sizeof(struct pl_region_header)];
    struct pl_region_header h;
    uint8_t *definitions;

    *reason = check_file(r, g);
    if (!*reason)
        *reason = read_at(r, g->fd, head, sizeof head, 0)
                      ? pl_region_check_header(&h, head, sizeof head, g->size)
                      : PL_REASON_TRUNCATED;
    if (!*reason && h.region_id != g->region_id)
        *reason = PL_REASON_FILE;
    if (*reason)
        return PL_OK;
    definitions = malloc(h.def_len);
    if (!definitions)
        return PL_NOMEM;
    *reason = read_at(r, g->fd, definitions, h.def_len, h.def_at)
                  ? pl_region_check_definitions(&h, definitions)
                  : PL_REASON_TRUNCATED;
    if (*reason) {
        free(definitions);
        return PL_OK;
    }
    return adopt(r, g, &h, definitions, reason);
}

static enum pl_region_reason map_region(struct pl_regions *r,
                                        struct pl_region *g)
{
    void *map = mmap(NULL, g->size, PROT_READ, MAP_SHARED, g->fd, 0);

    r->machine->system_calls++;
    if (map == MAP_FAILED)
        return PL_REASON_LIMIT;
    g->map = map;
    pl_region_guard();
    return PL_REASON_NONE;
}

static void doubt(struct pl_region *g, enum pl_region_reason reason)
{
    set_state(
        g, reason == PL_REASON_LIMIT ? PL_STATE_OVER_LIMIT : PL_STATE_INVALID,
        reason);
    release_copy(g);
}

static enum pl_status open_region(struct pl_regions *r, struct pl_region *g)
{
    enum pl_region_reason reason = PL_REASON_NONE;
    enum pl_status s = PL_OK;

    r->machine->system_calls++;
    g->fd = openat(r->folders[g->dir].fd, g->file,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (g->fd < 0 && errno == ENOENT) { /* withdrawn since it was listed */
        g->state = PL_STATE_HIDDEN;
        g->last = true;
        return PL_OK;
    }
    if (g->fd < 0) {
        doubt(g, errno == ELOOP                       ? PL_REASON_FILE
                 : errno == EMFILE || errno == ENFILE ? PL_REASON_LIMIT
                                                      : PL_REASON_PERMISSION);
        return PL_OK;
    }
    s = believe(r, g, &reason);
    if (!s && !reason)
        reason = map_region(r, g);
    if (!s && reason)
        doubt(g, reason);
    return s;
}

/* A file that is not believed, or was not to remove, is kept while it is there. */
static void look_at_file(struct pl_regions *r, struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstatat(r->folders[g->dir].fd, g->file, &st, AT_SYMLINK_NOFOLLOW) ||
        st.st_ino != g->inode)
        g->last = true;
}

/* What was left half made is removed if it is found unlocked twice. */
static void look_at_half_made(struct pl_regions *r, struct pl_region *g)
{
    int fd;

    look_at_file(r, g);
    if (g->last)
        return;
    r->machine->system_calls++;
    fd = openat(r->folders[g->dir].fd, g->file,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    g->chances = is_held(r, fd) ? 0 : g->chances + 1;
    close(fd);
    if (g->chances > 1)
        g->last = sweep(r, g);
}

/* ---- listing -------------------------------------------------------------------*/

static struct pl_region **list_of(struct pl_regions *r, uint64_t inode)
{
    return &r->by_inode[inode % NUM_LISTS];
}

static struct pl_region *known(struct pl_regions *r, unsigned dir,
                               uint64_t inode, const char *file)
{
    struct pl_region *g = *list_of(r, inode);

    while (g && (g->inode != inode || g->dir != dir || strcmp(g->file, file)))
        g = g->next;
    return g;
}

/* By age, so that the oldest is shown where there is place for one. */
static void insert(struct pl_regions *r, struct pl_region *g)
{
    struct pl_region **list = list_of(r, g->inode);
    size_t at = r->num++;

    for (; at && r->regions[at - 1]->created_ns > g->created_ns; at--)
        r->regions[at] = r->regions[at - 1];
    r->regions[at] = g;
    g->next = *list;
    *list = g;
}

static bool is_half_made(const struct pl_region *g)
{
    return *g->file == '.';
}

/* A stranger's crowd of files takes no more places than it may have. */
static bool has_place(const struct pl_regions *r, const struct stat *st)
{
    size_t num = 0;

    if (st->st_uid == 0 || st->st_uid == geteuid())
        return true;
    for (size_t i = 0; i < r->num; i++)
        num += r->regions[i]->uid == st->st_uid;
    return num <= MAX_USER_REGIONS;
}

static struct pl_region *new_region(unsigned dir, const struct stat *st,
                                    const char *file)
{
    struct pl_region *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->fd = -1;
    g->dir = dir;
    g->inode = st->st_ino;
    g->device = st->st_dev;
    g->uid = st->st_uid;
    g->file = strdup(file);
    if (!g->file) {
        free(g);
        return NULL;
    }
    return g;
}

static enum pl_status meet_file(struct pl_regions *r, unsigned dir,
                                uint64_t inode, const char *file)
{
    struct pl_region *g;
    struct stat st;
    enum pl_status s = PL_OK;

    if (known(r, dir, inode, file) || r->num == MAX_REGIONS)
        return PL_OK;
    r->machine->system_calls++;
    if (fstatat(r->folders[dir].fd, file, &st, AT_SYMLINK_NOFOLLOW) ||
        !has_place(r, &st))
        return PL_OK;
    g = new_region(dir, &st, file);
    if (!g)
        return PL_NOMEM;
    snprintf(g->label, sizeof g->label, "unnamed");
    if (is_half_made(g))
        g->state = PL_STATE_HIDDEN;
    else if (!take_name(g) || !S_ISREG(st.st_mode))
        doubt(g, PL_REASON_FILE);
    else
        s = open_region(r, g);
    insert(r, g);
    if (is_half_made(g))
        look_at_half_made(r, g);
    return s;
}

static bool is_region_name(const char *name)
{
    size_t n = strlen(name), end = strlen(PL_REGION_SUFFIX);

    if (!strncmp(name, ".tmp-", 5))
        return true;
    return n > end && *name != '.' && !strcmp(name + n - end, PL_REGION_SUFFIX);
}

/* Go on in a folder where the last sample stopped. */
static enum pl_status list_folder(struct pl_regions *r, unsigned dir)
{
    int num = 0;
    ssize_t n;

    for (;;) {
        r->machine->system_calls++;
        n = getdents64(r->folders[dir].fd, r->entries, ENTRIES_SIZE);
        if (n <= 0)
            break;
        for (ssize_t at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(r->entries + at);
            enum pl_status s;

            at += e->d_reclen;
            if (!is_region_name(e->d_name))
                continue;
            s = meet_file(r, dir, e->d_ino, e->d_name);
            if (s)
                return s;
            /* The rest of these entries waits for the next round. */
            if (++num % CLOCK_STRIDE == 0 && is_late(r))
                return PL_OK;
        }
        if (num > MAX_ENTRIES)
            return PL_OK;
    }
    r->machine->system_calls++;
    lseek(r->folders[dir].fd, 0, SEEK_SET);
    return PL_OK;
}

/* ---- regions that are known ------------------------------------------------------*/

/* NONE: the file is as long as it was, and has no holes. */
static enum pl_region_reason check_size(struct pl_regions *r,
                                        const struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstat(g->fd, &st) || (uint64_t)st.st_size < g->size)
        return PL_REASON_TRUNCATED;
    if ((uint64_t)st.st_size != g->size)
        return PL_REASON_SIZE;
    return (uint64_t)st.st_blocks * 512 < g->size ? PL_REASON_SPARSE
                                                  : PL_REASON_NONE;
}

/* Copy what a valid region has; whether it lives was asked before that. */
static void copy_region(struct pl_regions *r, struct pl_region *g)
{
    bool held = is_held(r, g->fd);
    enum pl_region_reason reason = check_size(r, g);

    if (!reason || reason == PL_REASON_BUSY)
        reason = pl_region_copy_values(g, &r->tables, r->deadline_ns);
    if (reason && reason != PL_REASON_BUSY) {
        set_state(g, PL_STATE_INVALID, reason);
        return;
    }
    g->state = PL_STATE_LIVE;
    if (reason)
        g->state = PL_STATE_BUSY;
    g->reason = reason;
    if (!held || g->closed) {
        g->state = PL_STATE_FINAL;
        g->reason = PL_REASON_NONE;
    }
}

static void leave_out(struct pl_region *g)
{
    for (size_t i = 0; i < g->num_sets; i++)
        g->copies[i].copied = PL_COPIED_NONE;
    g->state = PL_STATE_OVER_LIMIT;
    g->reason = PL_REASON_LIMIT;
}

/* Groups that had not ended are given two more chances. */
static void try_busy_again(struct pl_regions *r)
{
    static const int64_t waits_ms[] = { 0, 1, 4 };

    for (size_t k = 0; k < sizeof waits_ms / sizeof *waits_ms; k++) {
        struct timespec wait = { 0, (long)(waits_ms[k] * NS_PER_MS) };
        bool busy = false;

        for (size_t i = 0; i < r->num; i++)
            busy = busy || r->regions[i]->state == PL_STATE_BUSY;
        if (!busy || now_ns() + waits_ms[k] * NS_PER_MS >= r->deadline_ns)
            return;
        if (wait.tv_nsec) {
            r->machine->system_calls++;
            nanosleep(&wait, NULL);
        }
        for (size_t i = 0; i < r->num && !is_late(r); i++)
            if (r->regions[i]->state == PL_STATE_BUSY)
                copy_region(r, r->regions[i]);
    }
}

/* Those whose last values were in a sample are let go. */
static void drop_finished(struct pl_regions *r)
{
    size_t kept = 0;

    memset(r->by_inode, 0, sizeof r->by_inode);
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];

        if (g->state == PL_STATE_FINAL) {
            g->last = sweep(r, g);
            set_state(g, PL_STATE_HIDDEN, PL_REASON_NONE);
        }
        /* What was over a limit may find a place now. */
        if (g->last || (g->state == PL_STATE_OVER_LIMIT && !g->table)) {
            free_region(g);
            continue;
        }
        r->regions[kept++] = g;
        g->next = *list_of(r, g->inode);
        *list_of(r, g->inode) = g;
    }
    r->num = kept;
}

/* ---- a sample --------------------------------------------------------------------*/

/* Those that there is no time for have their turn first in the next sample. */
static void look_at_all(struct pl_regions *r)
{
    size_t first = r->num ? r->first % r->num : 0;
    bool late = false;

    for (size_t n = 0; n < r->num; n++) {
        size_t i = (first + n) % r->num;
        struct pl_region *g = r->regions[i];

        if (!late && n % CLOCK_STRIDE == 0 && is_late(r)) {
            late = true;
            r->first = i;
        }
        if (is_half_made(g))
            look_at_half_made(r, g);
        else if (!g->table)
            look_at_file(r, g);
        else if (late)
            leave_out(g);
        else
            copy_region(r, g);
    }
}

/* Regions that were met just now are copied, too. */
static enum pl_status look_for_more(struct pl_regions *r)
{
    size_t budget = 0;
    enum pl_status s = PL_OK;

    if (now_ns() - r->listed_ns > LIST_AGAIN_S * INT64_C(1000000000))
        look_for_folders(r);
    for (unsigned d = 0; d < r->num_folders && !s && !is_late(r); d++)
        s = list_folder(r, d);
    for (size_t i = 0; i < r->num && !s; i++) {
        struct pl_region *g = r->regions[i];

        if (g->table && !g->met) {
            g->met = true;
            if (budget++ % CLOCK_STRIDE == 0 && is_late(r))
                leave_out(g);
            else
                copy_region(r, g);
        }
    }
    return s;
}

/* Chain those of one table, and number those that are shown. */
static void chain(struct pl_regions *r)
{
    uint32_t position = 0;

    for (struct pl_published *t = r->tables.first; t; t = t->next)
        t->first = NULL;
    for (size_t i = r->num; i-- > 0;) {
        struct pl_region *g = r->regions[i];

        if (g->table) {
            g->same = g->table->first;
            g->table->first = g;
        }
    }
    for (size_t i = 0; i < r->num; i++) {
        r->regions[i]->loose += r->regions[i]->busy;
        if (r->regions[i]->state != PL_STATE_HIDDEN)
            r->regions[i]->position = position++;
    }
    pl_published_settle(&r->tables);
}

enum pl_status pl_regions_scan(struct pl_regions *r)
{
    enum pl_status s;

    r->pass++;
    r->deadline_ns = now_ns() + r->budget_ns;
    drop_finished(r);
    look_at_all(r);
    s = look_for_more(r);
    try_busy_again(r);
    chain(r);
    return s;
}

size_t pl_regions_num(const struct pl_regions *r)
{
    return r->num;
}

struct pl_region *pl_regions_at(const struct pl_regions *r, size_t i)
{
    return r->regions[i];
}

struct pl_published_list *pl_regions_tables(struct pl_regions *r)
{
    return &r->tables;
}

/* ---- news ----------------------------------------------------------------------*/

static void put_news(const struct pl_region *g, char *text, size_t size)
{
    static const char *const states[] = {
        [PL_STATE_LIVE] = "recorded",
        [PL_STATE_FINAL] = "recorded for the last time",
        [PL_STATE_INVALID] = "not believed",
        [PL_STATE_DUPLICATE] = "another process is shown in its place",
        [PL_STATE_OVER_LIMIT] = "over a limit",
    };
    struct pl_buf file = { 0 };

    pl_utf8_visible(&file, g->file, strlen(g->file));
    pl_buf_u8(&file, 0);
    snprintf(
        text, size, "counters of %s, user %u: %s%s%s%s%.60s", g->label,
        (unsigned)g->uid, states[g->state],
        g->state == PL_STATE_INVALID ? ", " : "",
        g->state == PL_STATE_INVALID ? pl_region_reason_text(g->reason) : "",
        g->table ? "" : ": ", g->table || file.oom ? "" : (const char *)file.p);
    pl_buf_release(&file);
}

bool pl_regions_news(struct pl_regions *r, char *text, size_t size)
{
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];
        unsigned now = 1 + (unsigned)g->state * PL_NUM_REASONS + g->reason;

        /* Busy ones come and go; counters tell of these. */
        if (g->state == PL_STATE_HIDDEN || g->state == PL_STATE_BUSY ||
            g->told == now || g->times == MAX_TOLD)
            continue;
        g->told = now;
        g->times++;
        put_news(g, text, size);
        return true;
    }
    return false;
}

/* What there is before the first sample; nothing has had its last one yet. */
static enum pl_status look_around(struct pl_regions *r)
{
    enum pl_status s = pl_regions_scan(r);

    for (size_t i = 0; i < r->num; i++)
        if (r->regions[i]->state == PL_STATE_FINAL)
            r->regions[i]->state = PL_STATE_LIVE;
    return s;
}

enum pl_status pl_regions_open(struct pl_regions **out, struct pl_machine *m,
                               const struct pl_choice *choice,
                               uint64_t interval_ns)
{
    struct pl_regions *r = calloc(1, sizeof *r);

    if (!r)
        return PL_NOMEM;
    r->machine = m;
    r->budget_ns =
        interval_ns ? (int64_t)(interval_ns / BUDGET) : DEFAULT_BUDGET_NS;
    r->entries = malloc(ENTRIES_SIZE);
    r->regions = calloc(MAX_REGIONS, sizeof *r->regions);
    pl_published_init(&r->tables, choice);
    if (!r->entries || !r->regions) {
        pl_regions_close(r);
        return PL_NOMEM;
    }
    look_for_folders(r);
    *out = r;
    return look_around(r);
}

void pl_regions_close(struct pl_regions *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->num; i++)
        free_region(r->regions[i]);
    for (unsigned i = 0; i < r->num_folders; i++) {
        free(r->folders[i].path);
        close(r->folders[i].fd);
    }
    pl_published_release(&r->tables);
    free(r->regions);
    free(r->entries);
    free(r);
}
