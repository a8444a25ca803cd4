"""The stand-in of the library ucc for UCP and what else lies below tl/ucp: algorithms of our own use it and check what it does,
what it must refuse is refused, and no mutant of it gets by.

Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: ucc_stand_in.py VERIFY SOURCE [--mutants]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
checkout = source / "tests/code/ucc/checkout"
if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)

# A file of libraries/ucc, a piece of its text, and what takes its place.
MUTANTS = [
    # Messages
    ("ucp.c", "MPI_Isend(copy, bytes, MPI_BYTE, to, message, over, &copies[num_copies++]);", "copies[num_copies++] = MPI_REQUEST_NULL;"),
    ("ucp.c", "MPI_Isend(copy, bytes,", "MPI_Isend(copy, bytes > 8 ? bytes - 1 : bytes,"),
    ("ucp.c", "if (bytes > 0) memcpy(copy, buffer, (size_t)bytes);", ""),
    ("ucp.c", "MPI_Isend(copy, bytes,", "MPI_Isend(buffer, bytes,"),
    ("ucp.c", "MPI_Issend(", "MPI_Isend("),
    ("ucp.c", "if (bytes <= SETTING(eager))", "if (bytes < SETTING(eager))"),
    ("ucp.c", "if (bytes <= SETTING(eager))", "if (true)"),
    ("ucp.c", "(int)(intptr_t)to - 1", "((int)(intptr_t)to == 1 ? 1 : (int)(intptr_t)to - 1)"),
    ("ucp.c", "return (int)(tag >> UCC_TL_UCP_TAG_BITS_OFFSET);", "return 0;"),
    ("ucp.c", "return (int)(tag >> UCC_TL_UCP_TAG_BITS_OFFSET);", "return (int)(tag >> UCC_TL_UCP_TAG_BITS_OFFSET) & ~1;"),
    ("ucp.c", "MPI_Irecv(buffer, bytes, MPI_BYTE, (int)UCC_TL_UCP_GET_SENDER(tag), message,", "MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, message,"),
    ("ucp.c", "MPI_Irecv(buffer, bytes, MPI_BYTE, (int)UCC_TL_UCP_GET_SENDER(tag), message,", "MPI_Irecv(buffer, bytes, MPI_BYTE, (int)UCC_TL_UCP_GET_SENDER(tag), MPI_ANY_TAG,"),
    ("ucp.c", "param->datatype >> 3 : 1", "8 : 1"),
    ("ucp.c", "return (int)(count * each);", "return (int)each;"),
    # Completions
    ("ucp.c", "    if (!found->is_done) continue;\n", ""),
    ("ucp.c", "request* done = open_requests[which[k]];", "request* done = open_requests[k];"),
    ("ucp.c", "const int k = SETTING(late) ? num_open - 1 - n : n;", "const int k = n;"),
    ("ucp.c", "const int k = SETTING(late) ? num_open - 1 - n : n;", "const int k = num_open - 1 - n;"),
    ("ucp.c", "    if (SETTING(late)) break;\n", ""),
    ("ucp.c", "    if (SETTING(late)) break;\n", "    break;\n"),
    ("ucp.c", "if (may_end && !SETTING(late)) return NULL;", "if (may_end) return NULL;"),
    ("ucp.c", "if (may_end && !SETTING(late)) return NULL;", "if (!SETTING(late)) return NULL;"),
    ("ucp.c", "    if (is_there) {\n", "    if (true) {\n"),
    ("ucp.c", "  if (may_end && !SETTING(late)) {\n", "  if (may_end) {\n"),
    ("ucp.c", "made->data = param->user_data;", "made->data = NULL;"),
    ("ucp.c", "done->sent(done, UCS_OK, done->data);", "done->sent(done, UCS_ERR_IO_ERROR, done->data);"),
    ("ucp.c", "done->received(done, UCS_OK, &done->info, done->data);", ";"),
    ("ucp.c", "done->received(done, UCS_OK, &done->info, done->data);", "done->received(done, UCS_OK, &done->info, done->data), done->received(done, UCS_OK, &done->info, done->data);"),
    ("ucp.c", "made->info.sender_tag = tag;", ""),
    ("ucp.c", "done->info.length = (size_t)bytes;", ""),
    ("ucp.c", "? UCS_OK : UCS_INPROGRESS;", "? UCS_OK : UCS_OK;"),
    ("ucp.c", "? UCS_OK : UCS_INPROGRESS;", "? UCS_INPROGRESS : UCS_INPROGRESS;"),
    ("ucp.c", "  done->state |= is_told;\n", ""),
    ("ucp.c", "    freed->state |= is_free;", "    free(freed);"),
    ("ucp.c", "  if (num_open == 0) return false;\n", "  if (num_open == 0) return true;\n"),
    ("ucp.c", "  ++events;\n  return (int)", "  return (int)"),
    # What is refused
    ("ucp.c", "if (num_open > 0) stand_in_fail", "if (false) stand_in_fail"),
    ("core.c", "if (op != UCC_OP_SUM) stand_in_fail", "if (false) stand_in_fail"),
    ("core.c", "REDUCE_WITH_ALPHA) stand_in_fail", "REDUCE_WITH_ALPHA && false) stand_in_fail"),
    ("ucp.c", "if (tag & ~known) stand_in_fail", "if (false) stand_in_fail"),
    ("ucp.c", "!= own_rank) stand_in_fail", "< 0) stand_in_fail"),
    ("ucp.c", "if (mask != UINT64_MAX) stand_in_fail", "if (false) stand_in_fail"),
    ("ucp.c", 'stand_in_fail(#name " isn\'t judged");', ""),
    # Sums, memory and hosts
    ("core.c", "for (size_t k = 1; k < n; ++k) {", "for (size_t k = 2; k < n; ++k) {"),
    ("core.c", "for (size_t k = 1; k < n; ++k) {", "for (size_t k = n - 1; k > 0; --k) {"),
    ("core.c", "MPI_Reduce_local(sum, next,", "MPI_Reduce_local(sum, memcpy(next, next, 0),  0 *"),
    ("core.c", "memcpy(next, from[k], bytes);", "memcpy(next, sum, bytes), memcpy(sum, from[k], bytes);"),
    ("core.c", "k * strided->stride", "k * strided->count * 8"),
    ("core.c", "from[0] = strided->src1;", "from[0] = strided->src2;"),
    ("core.c", "add_up(strided->dst, from, strided->n_src2 + 1u,", "add_up(strided->dst, from, strided->n_src2,"),
    ("core.c", "memcpy(args->copy.dst, args->copy.src, args->copy.len);", "memcpy(args->copy.dst, args->copy.src, args->copy.len / 2);"),
    ("core.c", "SETTING(late) ? UCC_INPROGRESS : carry_out(args)", "carry_out(args)"),
    ("core.c", "++asked->asked == 2", "++asked->asked == 1"),
    ("core.c", "asked->told.status = carry_out(&asked->told.args);", "asked->told.status = UCC_OK;"),
    ("core.c", "    --stand_in_tasks;\n", ""),
    ("core.c", "pool->data->ops->obj_init(pool, made + 1, NULL);", ";"),
    ("core.c", "at->mpool->data->ops->obj_cleanup(at->mpool, object);", ";"),
    ("core.c", "if (size > 0 && to != from) memcpy(to, from, size);", ""),
    ("core.c", "(*header)->addr = malloc(size);", "(*header)->addr = malloc(size / 2);"),
    ("core.c", "by_host.group_rank = (ucc_rank_t)used;", "by_host.group_rank = (ucc_rank_t)r;"),
]


def place(folder):
    """The stand-in, and beside it the library that calls algorithms of ours."""
    shutil.copytree(source / "libraries/ucc", folder / "ucc")
    shutil.copytree(source / "tests/code/ucc/library", folder / "library")
    headers = re.search(r"^\[headers\]\n.*?^\]\n", (folder / "ucc/library.toml").read_text(), re.MULTILINE | re.DOTALL)[0]
    table = folder / "library/library.toml"
    table.write_text(table.read_text().replace("[[pattern]]", headers + "\n[[pattern]]", 1))


def judge(folder, algo, *arguments):
    return subprocess.run([verify, "code", "--library", str(folder / "library") + "/", "--checkout", checkout, "--algo", f"allreduce/{algo}",
                           "--quick", "--count", "p+1", *arguments], capture_output=True, text=True, timeout=600)


def everything(folder, *arguments):
    return judge(folder, "everything", "--p", "3,4", "--both-operators", "--require", "order-preserving", *arguments)


def refuses(folder):
    """What an algorithm mustn't do ends the program, in five kinds, and beside mutants in all seven; after six crashes no more calls
    are made."""
    said = ""
    for kinds, count in [("0..4", 5), ("5,6", 2)][:None if "--mutants" in sys.argv else 1]:
        done = judge(folder, "wrong", "--p", "2", "--set", f"kind={kinds}", "--call-time-limit", "5s")
        said += done.stdout + done.stderr
        if done.stdout.count("crash: abort") != count:
            return False, said
    return True, said


def is_right(folder):
    done = everything(folder, "--call-time-limit", "5s")
    return done.returncode == 0 and "\npass" in done.stdout and refuses(folder)[0]


with tempfile.TemporaryDirectory() as here:
    place(pathlib.Path(here))
    right = everything(pathlib.Path(here))
    assert right.returncode == 0 and "\npass" in right.stdout, right.stdout + right.stderr
    does, said = refuses(pathlib.Path(here))
    assert does, said

if "--mutants" in sys.argv:
    for file, old, new in MUTANTS:
        with tempfile.TemporaryDirectory() as here:
            folder = pathlib.Path(here)
            place(folder)
            mutant = folder / "ucc" / file
            text = mutant.read_text()
            assert old in text, f"{file} has no {old!r}"
            mutant.write_text(text.replace(old, new))
            assert not is_right(folder), f"a mutant passes: {file}: {old} -> {new}"
    print(f"{len(MUTANTS)} mutants of the stand-in for UCP don't pass")
else:
    print("the stand-in for UCP does what is asked of it")
