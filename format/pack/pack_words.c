/* New words of a pack. */
#include "format/pack/pack_words.h"

enum {
    MOST_BEHIND = 64, /* words behind one that are tried as its prediction */
    MOST_TRIED = 256, /* rows of a field by which it is chosen */
};

/* How a field's words are stored. */
enum {
    AS_THEY_ARE,
    FROM_NOTHING,
    FROM_ROW_BEFORE,               /* the word before it in the field */
    FROM_BEHIND = FROM_ROW_BEFORE, /* plus N: the word N behind it in its row */
};

/* The series of a field. */
struct field {
    const uint32_t *series;
    size_t num;
    uint32_t distance;
};

static struct field field_at(const struct pl_pack_order *o, size_t i)
{
    uint32_t from = i ? o->fields[i - 1].end : 0;

    return (struct field){ o->series + from, o->fields[i].end - from,
                           o->fields[i].distance };
}

static inline uint64_t word_of(const uint8_t *words, uint32_t series)
{
    return pl_get_le64(words + (size_t)series * PL_PACK_WORD);
}

/* ---- writing --------------------------------------------------------------- */

/* What predicts word 'i' of the field. */
static uint64_t prediction(const struct field *f, const uint8_t *words,
                           uint64_t how, size_t i)
{
    if (how == FROM_NOTHING)
        return 0;
    if (how == FROM_ROW_BEFORE)
        return i ? word_of(words, f->series[i - 1]) : 0;
    return word_of(words, f->series[i] + (uint32_t)(how - FROM_BEHIND));
}

/* Bytes of some of the words; a 0 is in no way dear, as zstd joins them. */
static size_t cost_of_words(const struct field *f, const uint8_t *words,
                            uint64_t how)
{
    size_t step = f->num / MOST_TRIED + 1, sum = 0;

    for (size_t i = 0; i < f->num; i += step) {
        uint64_t v = word_of(words, f->series[i]);

        if (how == AS_THEY_ARE)
            sum += PL_PACK_WORD;
        else if (v != prediction(f, words, how, i))
            sum += pl_varint_len(pl_zigzag(v - prediction(f, words, how, i)));
    }
    return sum;
}

static uint64_t choose(const struct field *f, const uint8_t *words)
{
    uint64_t last = FROM_BEHIND + (uint64_t)f->distance, best = AS_THEY_ARE;
    size_t least = cost_of_words(f, words, best);

    if (last > FROM_BEHIND + MOST_BEHIND)
        last = FROM_BEHIND + MOST_BEHIND;
    for (uint64_t how = FROM_NOTHING; how <= last && least; how++) {
        size_t here = cost_of_words(f, words, how);

        if (here < least) {
            least = here;
            best = how;
        }
    }
    return best;
}

static void put_field(const struct field *f, const uint8_t *words, uint64_t how,
                      struct pl_buf *out)
{
    pl_buf_varint(out, how);
    for (size_t i = 0; i < f->num; i++) {
        uint64_t v = word_of(words, f->series[i]);

        if (how == AS_THEY_ARE)
            pl_buf_u64(out, v);
        else
            pl_buf_varint(out, pl_zigzag(v - prediction(f, words, how, i)));
    }
}

/* Rows that were not tried may cost more than they are long: with them a block
 * of the most bytes would not fit into a pack. */
void pl_pack_words_put(const struct pl_pack_order *order, const uint8_t *words,
                       struct pl_buf *out)
{
    for (size_t i = 0; i < order->num_fields; i++) {
        struct field f = field_at(order, i);
        size_t start = out->len;

        put_field(&f, words, choose(&f, words), out);
        if (out->len - start > 1 + f.num * PL_PACK_WORD) {
            out->len = start;
            put_field(&f, words, AS_THEY_ARE, out);
        }
    }
}

/* ---- reading --------------------------------------------------------------- */

/* 'distance' of the field: so many words are behind each of its own. */
static enum pl_status find_field(struct pl_pack_source *field,
                                 uint32_t distance, struct pl_cur *from,
                                 const uint8_t *start)
{
    const size_t num = field[1].next - field->next;
    const uint64_t how = pl_cur_varint(from);

    if (how > FROM_BEHIND && how - FROM_BEHIND > distance)
        return PL_CORRUPT;
    field->how = (uint32_t)how;
    field->stored = (uint32_t)(from->p - start);
    if (how == AS_THEY_ARE)
        pl_cur_take(from, num <= SIZE_MAX / PL_PACK_WORD ? num * PL_PACK_WORD
                                                         : SIZE_MAX);
    else
        pl_cur_pass_varints(from, num);
    return from->bad ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_pack_words_find(struct pl_pack_sources *s,
                                  uint32_t num_groups, struct pl_cur *from)
{
    const uint8_t *start = from->p;
    enum pl_status status = PL_OK;

    for (uint32_t g = 0; g < num_groups && !status; g++)
        for (uint32_t f = s->first[g]; f < s->first[g + 1] && !status; f++)
            status = find_field(&s->fields[f], f - s->first[g], from, start);
    return status;
}

/* The field's next word, of which the row's words behind it, at 'to', are known. */
static inline uint64_t next_word(struct pl_pack_source *field,
                                 const uint8_t *stored, const uint8_t *to)
{
    const uint8_t *p = stored + field->stored;
    uint64_t v;

    if (field->how == AS_THEY_ARE) {
        field->stored += PL_PACK_WORD;
        return pl_get_le64(p);
    }
    v = pl_unzigzag(pl_checked_varint(stored, &field->stored));
    if (field->how == FROM_ROW_BEFORE)
        v = field->last += v;
    else if (field->how > FROM_BEHIND)
        v +=
            pl_get_le64(to + (size_t)(field->how - FROM_BEHIND) * PL_PACK_WORD);
    return v;
}

void pl_pack_words_take(struct pl_pack_source *field, const uint8_t *stored,
                        size_t len, uint8_t *row)
{
    for (uint8_t *to = row + len * PL_PACK_WORD; to > row; field++) {
        to -= PL_PACK_WORD;
        pl_put_le64(to, next_word(field, stored, to));
        field->next++;
    }
}
