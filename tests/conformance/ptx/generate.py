#!/usr/bin/env python3
"""PTX that tries every instruction with its types and modifiers, for one target, and the list of what it tries.

    generate.py 80 ptx.sm_80.ptx     the code for sm_80, with what sm_80 has
    generate.py list cases.txt       every kernel and case (cases.h says how they are read)

A kernel is one family of instructions over one kind of operands (PROBE_* of probe.h). Each case computes from the thread's operands
and stores its results, words of 32 bits, to columns of its own. Names of registers, for all cases:
    %x %y %z %w   32 bits, words 0 2 4 6 of the thread's operands;  %X %Y %Z %W  64 bits, words 0:1 2:3 4:5 6:7
    %hx %hy %hz   16 bits, the low half of those;   %i0..%i15  all words
    %p %q %r, %P %Q %R, %hp %hq %hr   the same from the kernel's parameters: for ptxas to use constants and uniform registers
    %d0 ..        what the case computes
A warp does every case, so that shuffles and matrices are cases like others."""
import re
import sys

THREADS = 1024
WIDTH = {'h': 16, 'r': 32, 'd': 64, 'p': 1, 'q': 128}
VECTOR = {'h': ['%hx', '%hy', '%hz', '%hw'], 'r': ['%x', '%y', '%z', '%w'], 'd': ['%X', '%Y', '%Z', '%W']}
PARAM = {'h': ['%hp', '%hq', '%hr', '%hs'], 'r': ['%p', '%q', '%r', '%s'], 'd': ['%P', '%Q', '%R', '%S']}
IMMEDIATE = {'int': {'r': '0x12345679', 'd': '0x123456789abcdef1', 'h': '0x1234'}, 'small': {'r': '13', 'd': '13', 'h': '13'},
             'f32': {'r': '0f40490FDB', 'd': '0x123456789'}, 'f64': {'d': '0d400921FB54442D18', 'r': '7'}}
kernels = []


class Kernel:
    """kind: of the operands; uniform: operands are parameters, the same in all threads of a launch; sm: the oldest target."""
    def __init__(self, name, kind, sm=75, uniform=False, top='', shared=0):
        self.name, self.kind, self.sm, self.uniform, self.top, self.shared = name, kind, sm, uniform, top, shared
        self.cases, self.columns, self.names, self.cluster = [], 0, set(), ''
        kernels.append(self)

    def case(self, name, body, outs='r', sm=75):
        """outs: a letter of WIDTH for each %dN that the body sets."""
        if name in self.names:
            raise SystemExit(f'{self.name}: {name} twice')
        self.names.add(name)
        words = sum({'d': 2, 'q': 4}.get(o, 1) for o in outs)
        self.cases.append((name, body, outs, max(sm, self.sm), self.columns, words))
        self.columns += words

    def op(self, name, sig='r:rr', sm=75, variants='v', types=None):
        """One instruction `name d, a, b, ...;`, sig: destination:sources; variants: v all registers, i the last source (or the
        one before) an immediate, c a parameter."""
        dst, srcs = sig.split(':')
        d = '%d0|%d1' if dst == 'pp' else '%d0'
        if self.uniform:
            self.case(name, f'{name} {d}, ' + ', '.join(PARAM[s][k] for k, s in enumerate(srcs)) + ';', dst, sm)
            return
        plain = [VECTOR[s][k] for k, s in enumerate(srcs)]
        self.case(name, f'{name} {d}, ' + ', '.join(plain) + ';', dst, sm)
        def other(label, k, what):
            now = list(plain)
            now[k] = what
            self.case(f'{name} {label}', f'{name} {d}, ' + ', '.join(now) + ';', dst, sm)
        for k in range(1, len(srcs)):
            if 'i' in variants and srcs[k] in IMMEDIATE[types or self.kind]:
                other(f'imm{k}' if len(srcs) > 2 else 'imm', k, IMMEDIATE[types or self.kind][srcs[k]])
            if 'c' in variants:
                other(f'const{k}' if len(srcs) > 2 else 'const', k, PARAM[srcs[k]][k])

    # --- text -------------------------------------------------------------------------------------------

    def text(self, sm):
        here = [c for c in self.cases if c[3] <= sm]
        if sm < self.sm or not here:
            return ''
        bodies = []
        for name, body, outs, _, column, _ in here:
            lines = [f'// {name}', '{']
            for k, o in enumerate(outs):
                lines.append(f'.reg .{"pred" if o == "p" else f"b{WIDTH[o]}"} %d{k};')
            lines += body.strip().split('\n')
            for k, o in enumerate(outs):
                at = f'[%out+{column * THREADS * 4}]'
                if o == 'p':
                    lines += [f'.reg .b32 %s{k};', f'selp.b32 %s{k}, 1, 0, %d{k};', f'st.global.b32 {at}, %s{k};']
                elif o == 'h':
                    lines += [f'.reg .b32 %s{k};', f'cvt.u32.u16 %s{k}, %d{k};', f'st.global.b32 {at}, %s{k};']
                elif o == 'r':
                    lines += [f'st.global.b32 {at}, %d{k};']
                elif o == 'd':
                    lines += [f'.reg .b32 %s{k}, %u{k};', f'mov.b64 {{%s{k}, %u{k}}}, %d{k};', f'st.global.b32 {at}, %s{k};',
                              f'st.global.b32 [%out+{(column + 1) * THREADS * 4}], %u{k};']
                column += {'d': 2, 'q': 4}.get(o, 1)
            lines.append('}')
            bodies.append('\n    '.join(lines))
        used = set(re.findall(r'%[A-Za-z]+[0-9]*', self.top + '\n'.join(bodies)))
        head = []
        for letter, word in zip('xyzw', (0, 2, 4, 6)):
            big, half = letter.upper(), 'h' + letter
            if used & {f'%{letter}', f'%{big}', f'%{half}'}:
                head += [f'.reg .b32 %{letter};', f'ld.global.b32 %{letter}, [%in+{word * THREADS * 4}];']
            if f'%{big}' in used:
                head += [f'.reg .b32 %{letter}_;', f'.reg .b64 %{big};', f'ld.global.b32 %{letter}_, [%in+{(word + 1) * THREADS * 4}];',
                         f'mov.b64 %{big}, {{%{letter}, %{letter}_}};']
            if f'%{half}' in used:
                head += [f'.reg .b16 %{half};', f'cvt.u16.u32 %{half}, %{letter};']
        for letter, word in zip('pqrs', (0, 2, 4, 6)):
            big, half = letter.upper(), 'h' + letter
            if f'%{letter}' in used:
                head += [f'.reg .b32 %{letter};', f'ld.param.b32 %{letter}, [params+{32 + word * 4}];']
            if f'%{big}' in used:
                head += [f'.reg .b64 %{big};', f'ld.param.b64 %{big}, [params+{32 + word * 4}];']
            if f'%{half}' in used:
                head += [f'.reg .b16 %{half};', f'ld.param.b16 %{half}, [params+{32 + word * 4}];']
        for k in range(16):
            if f'%i{k}' in used:
                head += [f'.reg .b32 %i{k};', f'ld.global.b32 %i{k}, [%in+{k * THREADS * 4}];']
        return f'''
.visible .entry {self.name}(.param .align 8 .b8 params[96])
.maxntid 256 {self.cluster}
{{
    .reg .b64 %in, %out, %cell, %warpcell, %off, %first; .reg .b32 %thread, %t0, %t1, %base, %lane, %warp;
    ld.param.b64 %in, [params]; ld.param.b64 %out, [params+8]; ld.param.b64 %cell, [params+16]; ld.param.b32 %base, [params+24];
    mov.u32 %thread, %tid.x; mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mad.lo.u32 %base, %t0, %t1, %base; add.u32 %t0, %base, %thread;
    mov.u32 %lane, %laneid; shr.u32 %warp, %thread, 5;
    mul.wide.u32 %off, %t0, 4; mov.b64 %first, %in; add.u64 %in, %in, %off; add.u64 %out, %out, %off;
    shr.u32 %t1, %t0, 5; mul.wide.u32 %off, %t1, 1024; add.u64 %warpcell, %cell, %off; add.u64 %warpcell, %warpcell, 65536;
    mul.wide.u32 %off, %t0, 64; add.u64 %cell, %cell, %off;
    {self.top}
    ''' + '\n    '.join(head) + '\n' + '\n'.join(bodies) + '\n    ret;\n}\n'


# --- integers ---------------------------------------------------------------------------------------------

INTS = ['u16', 's16', 'u32', 's32', 'u64', 's64']


def letter(t):
    return {'16': 'h', '32': 'r', '64': 'd'}[re.sub(r'\D', '', t)[:2]]


def wide(t):
    return {'h': 'r', 'r': 'd'}[letter(t)]


def integer_ops(k, variants):
    for t in INTS:
        l = letter(t)
        two, three = f'{l}:{l}{l}', f'{l}:{l}{l}{l}'
        for name in ('add', 'sub', 'min', 'max', 'mul.hi', 'mul.lo', 'div', 'rem'):
            k.op(f'{name}.{t}', two, variants=variants)
        k.op(f'sad.{t}', three, variants=variants)
        for name in ('mad.hi', 'mad.lo'):
            k.op(f'{name}.{t}', three, variants=variants)
        if l != 'd':
            k.op(f'mul.wide.{t}', f'{wide(t)}:{l}{l}', variants=variants)
            k.op(f'mad.wide.{t}', f'{wide(t)}:{l}{l}{wide(t)}', variants=variants)
        if t[0] == 's':
            k.op(f'abs.{t}', f'{l}:{l}')
            k.op(f'neg.{t}', f'{l}:{l}')
    for name in ('add.sat.s32', 'sub.sat.s32'):
        k.op(name, variants=variants)
    k.op('mad.hi.sat.s32', 'r:rrr', variants=variants)
    for t in ('u32', 's32'):
        for h in ('hi', 'lo'):
            k.op(f'mul24.{h}.{t}', variants=variants)
            k.op(f'mad24.{h}.{t}', 'r:rrr', variants=variants)
    k.op('mad24.hi.sat.s32', 'r:rrr', variants=variants)
    for a in ('u32', 's32'):
        for b in ('u32', 's32'):
            k.op(f'dp4a.{a}.{b}', 'r:rrr', variants=variants)
            for h in ('lo', 'hi'):
                k.op(f'dp2a.{h}.{a}.{b}', 'r:rrr', variants=variants)
    for t in ('u16x2', 's16x2'):
        for name in ('add', 'min', 'max'):
            k.op(f'{name}.{t}', sm=90, variants=variants.replace('i', ''))
    for name in ('min.relu.s32', 'max.relu.s32', 'min.relu.s16x2', 'max.relu.s16x2'):
        k.op(name, sm=90, variants=variants.replace('i', '') if 'x2' in name else variants)
    for t in ('b16', 'b32', 'b64'):
        l = letter(t)
        for name in ('and', 'or', 'xor'):
            k.op(f'{name}.{t}', f'{l}:{l}{l}', variants=variants)
        k.op(f'not.{t}', f'{l}:{l}')
        k.op(f'cnot.{t}', f'{l}:{l}')


def bit_ops(k, variants):
    for t in ('b32', 'b64'):
        l = letter(t)
        k.op(f'popc.{t}', f'r:{l}')
        k.op(f'clz.{t}', f'r:{l}')
        k.op(f'brev.{t}', f'{l}:{l}')
        k.op(f'bfi.{t}', f'{l}:{l}{l}rr', variants=variants) if not k.uniform else None
    for t in INTS[2:]:
        l = letter(t)
        k.op(f'bfind.{t}', f'r:{l}')
        k.op(f'bfind.shiftamt.{t}', f'r:{l}')
        k.op(f'bfe.{t}', f'{l}:{l}rr', variants=variants)
    for mode in ('clamp', 'wrap'):
        k.op(f'bmsk.{mode}.b32', variants=variants)
        for t in ('u32', 's32'):
            k.op(f'szext.{mode}.{t}', variants=variants)
        for side in 'lr':
            k.op(f'shf.{side}.{mode}.b32', 'r:rrr', variants=variants)
    for t in ('b16', 'b32', 'b64'):
        k.op(f'shl.{t}', f'{letter(t)}:{letter(t)}r', variants=variants)
    for t in INTS + ['b16', 'b32', 'b64']:
        k.op(f'shr.{t}', f'{letter(t)}:{letter(t)}r', variants=variants)
    k.op('fns.b32', 'r:rrr')
    for mode in ('', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16'):
        k.op(f'prmt.b32{mode}', 'r:rrr', variants=variants)


def compare(k, types, comparisons, ftz='', halves=False, variants='v', sm=75):
    for t in types:
        l = {'f16x2': 'r', 'bf16x2': 'r', 'bf16': 'h'}.get(t) or letter(t)
        for c in comparisons(t):
            name = f'{c}{ftz}'
            if t in ('f16x2', 'bf16x2'):
                k.op(f'setp.{name}.{t}', f'pp:{l}{l}', sm=sm)
            elif halves:
                k.op(f'setp.{name}.{t}', f'p:{l}{l}', sm=sm)
            else:
                k.op(f'setp.{name}.{t}', f'p:{l}{l}', sm=sm, variants=variants)
            for d in (['f16x2' if t == 'f16x2' else 'u32'] if halves and 'x2' in t and 'bf' not in t else ['bf16x2'] if t == 'bf16x2' else ['u32', 'f32'] if not halves else ['u16']):
                dl = {'f16x2': 'r', 'bf16x2': 'r'}.get(d) or letter(d)
                k.op(f'set.{name}.{d}.{t}', f'{dl}:{l}{l}', sm=sm)


def integer_comparisons(t):
    c = ['eq', 'ne']
    return c if t[0] == 'b' else c + ['lt', 'le', 'gt', 'ge'] + (['lo', 'ls', 'hi', 'hs'] if t[0] == 'u' else [])


FLOAT_COMPARISONS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def predicates(k):
    """Boolean combinations with a third predicate, and logic of predicates."""
    for b in ('and', 'or', 'xor'):
        for c in ('lt', 'ne'):
            for bang in ('', '!'):
                for t in ('s32', 'u32', 'u64'):
                    x, y, z = VECTOR[letter(t)][:3]
                    k.case(f'setp.{c}.{b}.{t} {bang}p', f'.reg .pred %c; setp.gt.{t} %c, {z}, {y};\nsetp.{c}.{b}.{t} %d0|%d1, {x}, {y}, {bang}%c;', 'pp')
                    k.case(f'set.{c}.{b}.u32.{t} {bang}p', f'.reg .pred %c; setp.gt.{t} %c, {z}, {y};\nset.{c}.{b}.u32.{t} %d0, {x}, {y}, {bang}%c;', 'r')
        k.case(f'{b}.pred', f'.reg .pred %c, %e; setp.gt.s32 %c, %z, %y; setp.lt.s32 %e, %x, %y;\n{b}.pred %d0, %c, %e;', 'p')
    k.case('not.pred', '.reg .pred %c; setp.gt.s32 %c, %z, %y;\nnot.pred %d0, %c;', 'p')
    k.case('mov.pred', '.reg .pred %c; setp.gt.s32 %c, %z, %y;\nmov.pred %d0, %c;', 'p')
    for n in (0x80, 0xfe, 0x96, 0xe8, 0xca, 0x17):
        for b in ('or', 'and'):
            k.case(f'lop3.{b}.b32 {n:#x}', f'.reg .pred %c; setp.gt.s32 %c, %z, %y;\nlop3.{b}.b32 %d0|%d1, %x, %y, %z, {n:#x}, %c;', 'rp')


def select(k):
    for t in ('b16', 'u16', 's32', 'b32', 'b64', 'u64', 'f32', 'f64'):
        x, y = VECTOR[letter(t)][:2]
        k.case(f'selp.{t}', f'.reg .pred %c; setp.gt.s32 %c, %z, %w;\nselp.{t} %d0, {x}, {y}, %c;', letter(t))
        k.case(f'slct.{t}.s32', f'slct.{t}.s32 %d0, {x}, {y}, %z;', letter(t))


def carries(k):
    def chain(name, body, n, l='r'):
        k.case(name, body, l * n)
    chain('add.cc.u32 addc.u32', 'add.cc.u32 %d0, %x, %y; addc.u32 %d1, %z, %w;', 2)
    chain('add.cc.s32 addc.cc.s32 addc.s32', 'add.cc.s32 %d0, %x, %y; addc.cc.s32 %d1, %z, %w; addc.s32 %d2, %y, %z;', 3)
    chain('sub.cc.u32 subc.u32', 'sub.cc.u32 %d0, %x, %y; subc.u32 %d1, %z, %w;', 2)
    chain('sub.cc.s32 subc.cc.s32 subc.s32', 'sub.cc.s32 %d0, %x, %y; subc.cc.s32 %d1, %z, %w; subc.s32 %d2, %y, %z;', 3)
    chain('add.cc.u64 addc.u64', 'add.cc.u64 %d0, %X, %Y; addc.u64 %d1, %Z, %W;', 2, 'd')
    chain('add.cc.s64 addc.cc.s64 addc.s64', 'add.cc.s64 %d0, %X, %Y; addc.cc.s64 %d1, %Z, %W; addc.s64 %d2, %Y, %Z;', 3, 'd')
    chain('sub.cc.u64 subc.u64', 'sub.cc.u64 %d0, %X, %Y; subc.u64 %d1, %Z, %W;', 2, 'd')
    chain('sub.cc.s64 subc.cc.s64 subc.s64', 'sub.cc.s64 %d0, %X, %Y; subc.cc.s64 %d1, %Z, %W; subc.s64 %d2, %Y, %Z;', 3, 'd')
    for t in ('u32', 's32'):
        chain(f'mad.lo.cc.{t} madc.hi.{t}', f'mad.lo.cc.{t} %d0, %x, %y, %z; madc.hi.{t} %d1, %x, %y, %w;', 2)
        chain(f'mad.hi.cc.{t} madc.lo.cc.{t} madc.hi.cc.{t} addc.{t}', f'mad.hi.cc.{t} %d0, %x, %y, %z; madc.lo.cc.{t} %d1, %z, %w, %y; madc.hi.cc.{t} %d2, %z, %w, %x; addc.{t} %d3, 0, 0;', 4)
    for t in ('u64', 's64'):
        chain(f'mad.lo.cc.{t} madc.hi.{t}', f'mad.lo.cc.{t} %d0, %X, %Y, %Z; madc.hi.{t} %d1, %X, %Y, %W;', 2, 'd')
    chain('product of 128 bits', 'mul.lo.u64 %d0, %X, %Y; mul.hi.u64 %d1, %X, %Y;', 2, 'd')


# --- floats -----------------------------------------------------------------------------------------------

ROUNDINGS = ('rn', 'rz', 'rm', 'rp')
FTZ = ('', '.ftz')


def single(k):
    for z in FTZ:
        for s in ('', '.sat'):
            for r in ROUNDINGS:
                v = 'vic' if r == 'rn' and not s else 'v'
                for name in ('add', 'sub', 'mul'):
                    k.op(f'{name}.{r}{z}{s}.f32', variants=v)
                k.op(f'fma.{r}{z}{s}.f32', 'r:rrr', variants=v)
                k.op(f'mad.{r}{z}{s}.f32', 'r:rrr')
        for name in ('abs', 'neg'):
            k.op(f'{name}{z}.f32', 'r:r')
        for nan in ('', '.NaN'):
            for x in ('', '.xorsign.abs'):
                for name in ('min', 'max'):
                    k.op(f'{name}{z}{nan}{x}.f32', sm=86 if x else 80 if nan else 75, variants='vic')
    for t in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        k.op(f'testp.{t}.f32', 'p:r')
    k.op('copysign.f32', variants='vic')
    for t in FTZ:
        k.case(f'slct{t}.f32.f32', f'slct{t}.f32.f32 %d0, %x, %y, %z;')
        k.case(f'slct{t}.b64.f32', f'slct{t}.b64.f32 %d0, %X, %Y, %z;', 'd')
    # signs of sources, which the machine code takes as modifiers
    for n, f in (('neg neg', 'neg.f32 %e, %x; neg.f32 %f, %y;'), ('abs neg', 'abs.f32 %e, %x; neg.f32 %f, %y;'), ('neg abs', 'abs.f32 %e, %x; neg.f32 %e, %e; abs.f32 %f, %y;')):
        for o in ('add.f32 %d0, %e, %f;', 'mul.f32 %d0, %e, %f;', 'fma.rn.f32 %d0, %e, %z, %f;', 'min.f32 %d0, %e, %f;', 'set.lt.u32.f32 %d0, %e, %f;'):
            k.case(f'{o.split(" ")[0]} of {n}', f'.reg .b32 %e, %f; {f}\n{o}')
    for b in ('and', 'or', 'xor'):
        for c in ('lt', 'neu', 'num'):
            for z in FTZ:
                k.case(f'setp.{c}.{b}{z}.f32', f'.reg .pred %c; setp.gt.f32 %c, %z, %y;\nsetp.{c}.{b}{z}.f32 %d0|%d1, %x, %y, !%c;', 'pp')


def single_divisions(k):
    for z in FTZ:
        for r in ROUNDINGS:
            k.op(f'div.{r}{z}.f32', variants='vic' if r == 'rn' else 'v')
            k.op(f'rcp.{r}{z}.f32', 'r:r')
            k.op(f'sqrt.{r}{z}.f32', 'r:r')


def single_approximations(k):
    for z in FTZ:
        for name in ('div.approx', 'div.full'):
            k.op(f'{name}{z}.f32', variants='vic')
        for name in ('rcp.approx', 'rsqrt.approx', 'sqrt.approx', 'sin.approx', 'cos.approx', 'lg2.approx', 'ex2.approx'):
            k.op(f'{name}{z}.f32', 'r:r')
    k.op('tanh.approx.f32', 'r:r')


def double(k):
    for r in ROUNDINGS:
        v = 'vic' if r == 'rn' else 'v'
        for name in ('add', 'sub', 'mul'):
            k.op(f'{name}.{r}.f64', 'd:dd', variants=v)
        k.op(f'fma.{r}.f64', 'd:ddd', variants=v)
        k.op(f'mad.{r}.f64', 'd:ddd')
    for name in ('abs', 'neg'):
        k.op(f'{name}.f64', 'd:d')
    for name in ('min', 'max'):
        k.op(f'{name}.f64', 'd:dd', variants='vic')
    for t in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        k.op(f'testp.{t}.f64', 'p:d')
    k.op('copysign.f64', 'd:dd')
    k.case('add.f64 of neg abs', '.reg .b64 %e, %f; abs.f64 %e, %X; neg.f64 %e, %e; neg.f64 %f, %Y;\nadd.f64 %d0, %e, %f;', 'd')
    k.case('fma.rn.f64 of neg', '.reg .b64 %e, %f; neg.f64 %e, %X; neg.f64 %f, %Y;\nfma.rn.f64 %d0, %e, %Z, %f;', 'd')
    for b in ('and', 'or', 'xor'):
        for c in ('lt', 'neu', 'num'):
            k.case(f'setp.{c}.{b}.f64', f'.reg .pred %c; setp.gt.f64 %c, %Z, %Y;\nsetp.{c}.{b}.f64 %d0|%d1, %X, %Y, !%c;', 'pp')


def double_divisions(k):
    for r in ROUNDINGS:
        k.op(f'div.{r}.f64', 'd:dd')
        k.op(f'rcp.{r}.f64', 'd:d')
        k.op(f'sqrt.{r}.f64', 'd:d')
    for name in ('rcp.approx.ftz', 'rsqrt.approx.ftz', 'rsqrt.approx'):
        k.op(f'{name}.f64', 'd:d')


def half(k):
    for t, l in (('f16', 'h'), ('f16x2', 'r')):
        for z in FTZ:
            for s in ('', '.sat'):
                for name in ('add', 'sub', 'mul', 'add.rn', 'sub.rn', 'mul.rn'):
                    k.op(f'{name}{z}{s}.{t}', f'{l}:{l}{l}')
                k.op(f'fma.rn{z}{s}.{t}', f'{l}:{l}{l}{l}', variants='vc')
            k.op(f'fma.rn{z}.relu.{t}', f'{l}:{l}{l}{l}', sm=80)
            for name in ('abs', 'neg'):
                k.op(f'{name}{z}.{t}', f'{l}:{l}')
            for nan in ('', '.NaN'):
                for x in ('', '.xorsign.abs'):
                    for name in ('min', 'max'):
                        k.op(f'{name}{z}{nan}{x}.{t}', f'{l}:{l}{l}', sm=86 if x else 80, variants='vc')
        k.op(f'tanh.approx.{t}', f'{l}:{l}')
        k.op(f'ex2.approx.{t}', f'{l}:{l}')
        for o in ('.oob', '.oob.relu'):
            k.op(f'fma.rn{o}.{t}', f'{l}:{l}{l}{l}', sm=90)
    for z in FTZ:
        compare(k, ['f16', 'f16x2'], lambda t: FLOAT_COMPARISONS, z, halves=True)
        for b in ('and', 'or', 'xor'):
            k.case(f'setp.lt.{b}{z}.f16x2', f'.reg .pred %c; setp.gt.f32 %c, %z, %y;\nsetp.lt.{b}{z}.f16x2 %d0|%d1, %x, %y, !%c;', 'pp')
            k.case(f'set.geu.{b}{z}.f16x2.f16x2', f'.reg .pred %c; setp.gt.f32 %c, %z, %y;\nset.geu.{b}{z}.f16x2.f16x2 %d0, %x, %y, !%c;')
            k.case(f'setp.num.{b}{z}.f16', f'.reg .pred %c; setp.gt.f32 %c, %z, %y;\nsetp.num.{b}{z}.f16 %d0, %hx, %hy, %c;', 'p')


def bfloat(k):
    for t, l in (('bf16', 'h'), ('bf16x2', 'r')):
        for name in ('add', 'sub', 'mul', 'add.rn', 'sub.rn', 'mul.rn'):
            k.op(f'{name}.{t}', f'{l}:{l}{l}', sm=90)
        for s in ('', '.relu'):
            k.op(f'fma.rn{s}.{t}', f'{l}:{l}{l}{l}', sm=80, variants='vc')
        for o in ('.oob', '.oob.relu'):
            k.op(f'fma.rn{o}.{t}', f'{l}:{l}{l}{l}', sm=90)
        for name in ('abs', 'neg'):
            k.op(f'{name}.{t}', f'{l}:{l}', sm=80)
        for nan in ('', '.NaN'):
            for x in ('', '.xorsign.abs'):
                for name in ('min', 'max'):
                    k.op(f'{name}{nan}{x}.{t}', f'{l}:{l}{l}', sm=86 if x else 80)
        k.op(f'tanh.approx.{t}', f'{l}:{l}', sm=90)
        k.op(f'ex2.approx.ftz.{t}', f'{l}:{l}', sm=90)
    compare(k, ['bf16', 'bf16x2'], lambda t: FLOAT_COMPARISONS, halves=True, sm=90)


# --- conversions ------------------------------------------------------------------------------------------

def holds(b, a):
    """Whether all numbers of type a are of type b: nothing to saturate."""
    na, nb = int(a[1:]), int(b[1:])
    return nb >= na if a[0] == b[0] else b[0] == 's' and nb > na


def integer_conversions(k):
    types = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64']
    for a in types:
        for b in types:
            source = VECTOR[{'8': 'r'}.get(a[1:]) or letter(a)][0]
            l = {'8': 'r'}.get(b[1:]) or letter(b)
            for s in ('', '.sat') if not holds(b, a) else ('',):
                k.case(f'cvt{s}.{b}.{a}', f'cvt{s}.{b}.{a} %d0, {source};', l)
        for f in ('f16', 'f32', 'f64'):
            for r in ROUNDINGS:
                source = VECTOR[{'8': 'r'}.get(a[1:]) or letter(a)][0]
                k.case(f'cvt.{r}.{f}.{a}', f'cvt.{r}.{f}.{a} %d0, {source};', letter(f))
            k.case(f'cvt.rn.sat.{f}.{a}', f'cvt.rn.sat.{f}.{a} %d0, {source};', letter(f))
    for a in types[2:]:
        source = VECTOR[letter(a)][0]
        for r in ROUNDINGS:
            k.case(f'cvt.{r}.bf16.{a}', f'cvt.{r}.bf16.{a} %d0, {source};', 'h', 90)
    for t, sm in (('u16', 75), ('s16', 75), ('u8', 75), ('s8', 75), ('u4', 75), ('s4', 75), ('u2', 75), ('s2', 75)):
        if t in ('u16', 's16'):
            k.op(f'cvt.pack.sat.{t}.s32', 'r:rr', sm=sm)
        else:
            k.op(f'cvt.pack.sat.{t}.s32.b32', 'r:rrr', sm=sm)


def float_conversions(k, a):
    """From one type of floats."""
    source = VECTOR[{'bf16': 'h'}.get(a) or letter(a)][0]
    sm = 90 if a == 'bf16' else 75
    def try_it(name, l, sm=sm):
        k.case(name, f'{name} %d0, {source};', l, sm)
    for b in ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64')[2 if a == 'bf16' else 0:]:
        l = {'8': 'r'}.get(b[1:]) or letter(b)
        for r in ('rni', 'rzi', 'rmi', 'rpi'):
            for z in FTZ if a == 'f32' else ('',):
                for s in ('', '.sat') if a != 'bf16' else ('',):
                    try_it(f'cvt.{r}{z}{s}.{b}.{a}', l)
    for b in ('f16', 'f32', 'f64'):
        size = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64}
        for z in FTZ if 'f32' in (a, b) and 'bf16' not in (a, b) else ('',):
            for s in ('', '.sat') if a != 'bf16' else ('',):
                if size[b] < size[a]:
                    for r in ROUNDINGS:
                        try_it(f'cvt.{r}{z}{s}.{b}.{a}', letter(b))
                elif a == b:
                    for r in ('rni', 'rzi', 'rmi', 'rpi'):
                        try_it(f'cvt.{r}{z}{s}.{b}.{a}', letter(b))
                    if s:
                        try_it(f'cvt{z}{s}.{b}.{a}', letter(b))
                elif a == 'bf16' and b == 'f16':
                    for r in ROUNDINGS:
                        try_it(f'cvt.{r}{s}.{b}.{a}', letter(b))
                else:
                    try_it(f'cvt{z}{s}.{b}.{a}', letter(b))
    if a == 'bf16':
        for r in ('rni', 'rzi', 'rmi', 'rpi'):
            try_it(f'cvt.{r}.bf16.bf16', 'h')
    elif a == 'f32':
        for r in ('rn', 'rz'):
            for s in ('', '.relu', '.satfinite', '.relu.satfinite'):
                for b in ('f16', 'bf16'):
                    if s or b == 'bf16':
                        try_it(f'cvt.{r}{s}.{b}.f32', 'h', 80)
                    k.op(f'cvt.{r}{s}.{b}x2.f32', 'r:rr', sm=80)
        for r in ('rm', 'rp'):
            try_it(f'cvt.{r}.bf16.f32', 'h', 90)
        for r, s, sm in (('rna', '', 80), ('rna', '.satfinite', 80), ('rn', '', 90), ('rz', '', 90), ('rn', '.relu', 90), ('rz', '.relu', 90)):
            try_it(f'cvt.{r}{s}.tf32.f32', 'r', sm)
        for t in ('e4m3x2', 'e5m2x2'):
            for s in ('', '.relu'):
                k.op(f'cvt.rn.satfinite{s}.{t}.f32', 'h:rr', sm=89)
    elif a in ('f16', 'f64'):
        for r in ROUNDINGS:
            try_it(f'cvt.{r}.bf16.{a}', 'h', 90)


def small_floats(k):
    for t in ('e4m3x2', 'e5m2x2'):
        for s in ('', '.relu'):
            k.op(f'cvt.rn.satfinite{s}.{t}.f16x2', 'h:r', sm=89)
            k.op(f'cvt.rn{s}.f16x2.{t}', 'r:h', sm=89)


# --- video ------------------------------------------------------------------------------------------------

def video(k):
    for name in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax'):
        for n, (d, a, b) in enumerate((('u32', 'u32', 'u32'), ('s32', 's32', 's32'), ('u32', 's32', 's32'), ('s32', 'u32', 'u32'), ('s32', 's32', 'u32'), ('u32', 'u32', 's32'))):
            for s in ('', '.sat'):
                k.case(f'{name}.{d}.{a}.{b}{s}', f'{name}.{d}.{a}.{b}{s} %d0, %x, %y;')
                sa, sb = ('b0', 'h1', 'b2', 'h0', 'b3', 'b1')[n], ('b1', 'b3', 'h0', 'h1', 'b0', 'b2')[n]
                k.case(f'{name}.{d}.{a}.{b}{s} {sa} {sb}', f'{name}.{d}.{a}.{b}{s} %d0, %x.{sa}, %y.{sb};')
                for o in ('add', 'min', 'max'):
                    k.case(f'{name}.{d}.{a}.{b}{s}.{o} {sa} {sb}', f'{name}.{d}.{a}.{b}{s}.{o} %d0, %x.{sa}, %y.{sb}, %z;')
                m = ('b0', 'h1', 'b2', 'h0', 'b3', 'b1')[(n + 2) % 6]
                k.case(f'{name}.{d}.{a}.{b}{s} {m} of {sa} {sb}', f'{name}.{d}.{a}.{b}{s} %d0.{m}, %x.{sa}, %y.{sb}, %z;')
    for name in ('vshl', 'vshr'):
        for d, a in (('u32', 'u32'), ('s32', 's32')):
            for s in ('', '.sat'):
                for m in ('.clamp', '.wrap'):
                    k.case(f'{name}.{d}.{a}.u32{s}{m}', f'{name}.{d}.{a}.u32{s}{m} %d0, %x, %y;')
                    k.case(f'{name}.{d}.{a}.u32{s}{m} b1', f'{name}.{d}.{a}.u32{s}{m} %d0, %x.h0, %y.b1;')
                    k.case(f'{name}.{d}.{a}.u32{s}{m}.add', f'{name}.{d}.{a}.u32{s}{m}.add %d0, %x, %y.b0, %z;')
    for a in ('u32', 's32'):
        for b in ('u32', 's32'):
            d = 'u32' if a == b == 'u32' else 's32'
            for s in ('', '.sat'):
                for scale in ('', '.shr7', '.shr15'):
                    k.case(f'vmad.{d}.{a}.{b}{s}{scale}', f'vmad.{d}.{a}.{b}{s}{scale} %d0, %x.h0, %y.b1, %z;')
                    k.case(f'vmad.{d}.{a}.{b}{s}{scale} neg', f'vmad.{d}.{a}.{b}{s}{scale} %d0, %x.h1, %y.h0, -%z;')
            for c in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
                k.case(f'vset.{a}.{b}.{c}', f'vset.{a}.{b}.{c} %d0, %x, %y.b2;')
                k.case(f'vset.{a}.{b}.{c}.add', f'vset.{a}.{b}.{c}.add %d0, %x.h1, %y.h0, %z;')


def simd_video(k):
    for n in (2, 4):
        for name in ('vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'):
            for d, a, b in (('u32', 'u32', 'u32'), ('s32', 's32', 's32'), ('s32', 'u32', 's32')):
                for s in ('', '.sat', '.add'):
                    k.case(f'{name}{n}.{d}.{a}.{b}{s}', f'{name}{n}.{d}.{a}.{b}{s} %d0, %x, %y, %z;')
            m = '.h1' if n == 2 else '.b20'
            k.case(f'{name}{n}.s32.s32.s32 {m}', f'{name}{n}.s32.s32.s32 %d0{m}, %x, %y, %z;')
        for a in ('u32', 's32'):
            for c in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
                for s in ('', '.add'):
                    k.case(f'vset{n}.{a}.{a}.{c}{s}', f'vset{n}.{a}.{a}.{c}{s} %d0, %x, %y, %z;')
    k.case('vadd2.u32.u32.u32 select', 'vadd2.u32.u32.u32 %d0, %x.h21, %y.h03, %z;')
    k.case('vmax4.s32.s32.s32 select', 'vmax4.s32.s32.s32 %d0, %x.b7531, %y.b0246, %z;')


# --- warps ------------------------------------------------------------------------------------------------

ODD = '.reg .pred %c; .reg .b32 %m; and.b32 %m, %lane, 3; setp.ne.u32 %c, %m, 1;'  # lanes 0 2 3 4 6 7 ...: 0xdddddddd


def warp(k):
    for mode in ('up', 'down', 'bfly', 'idx'):
        for b, c in ((1, 0x1f), (3, 0x1f), (5, 0x181f), (2, 0x1c03), (31, 0x1f), (0, 0x1000)):
            if mode == 'up':
                c &= ~0x1f
            k.case(f'shfl.sync.{mode}.b32 {b} {c:#x}', f'shfl.sync.{mode}.b32 %d0|%d1, %x, {b}, {c:#x}, -1;', 'rp')
        k.case(f'shfl.sync.{mode}.b32 by register', f'.reg .b32 %e; and.b32 %e, %y, 31;\nshfl.sync.{mode}.b32 %d0|%d1, %x, %e, {0 if mode == "up" else 31}, -1;', 'rp')
        k.case(f'shfl.sync.{mode}.b32 registers', f'.reg .b32 %e, %f; and.b32 %e, %y, 31; shfl.sync.idx.b32 %f, %z, 0, 31, -1; and.b32 %f, %f, 0x1f1f;\nshfl.sync.{mode}.b32 %d0|%d1, %x, %e, %f, -1;', 'rp')
    for t in ('all', 'any', 'uni'):
        for c in ('setp.lt.s32 %c, %x, %y;', 'setp.ne.u32 %c, %lane, 40;', 'setp.eq.u32 %c, %x, %lane;', 'setp.gt.s32 %c, %w, 64;'):
            k.case(f'vote.sync.{t}.pred {c[:8]} {c[13:15]} {c[17:]}', f'.reg .pred %c; {c}\nvote.sync.{t}.pred %d0, %c, -1;', 'p')
        k.case(f'vote.sync.{t}.pred not', f'.reg .pred %c; setp.lt.s32 %c, %x, %y;\nvote.sync.{t}.pred %d0, !%c, -1;', 'p')
    k.case('vote.sync.ballot.b32', '.reg .pred %c; setp.lt.s32 %c, %x, %y;\nvote.sync.ballot.b32 %d0, %c, -1;')
    k.case('vote.sync.ballot.b32 not', '.reg .pred %c; setp.lt.s32 %c, %x, %y;\nvote.sync.ballot.b32 %d0, !%c, -1;')
    k.case('activemask.b32', 'activemask.b32 %d0;')
    for t, r in (('b32', '%x'), ('b64', '%X')):
        k.case(f'match.any.sync.{t}', f'match.any.sync.{t} %d0, {r}, -1;')
        k.case(f'match.all.sync.{t}', f'match.all.sync.{t} %d0|%d1, {r}, -1;', 'rp')
    k.case('match.all.sync.b32 equal', '.reg .b32 %e; shfl.sync.idx.b32 %e, %x, 3, 31, -1;\nmatch.all.sync.b32 %d0|%d1, %e, -1;', 'rp')
    for o in ('add', 'min', 'max'):
        for t in ('u32', 's32'):
            k.case(f'redux.sync.{o}.{t}', f'redux.sync.{o}.{t} %d0, %x, -1;', sm=80)
    for o in ('and', 'or', 'xor'):
        k.case(f'redux.sync.{o}.b32', f'redux.sync.{o}.b32 %d0, %x, -1;', sm=80)
    # of some lanes
    for name, one, outs, sm in (('shfl.sync.idx.b32', 'shfl.sync.idx.b32 %d0|%d1, %x, 6, 31, 0xdddddddd;', 'rp', 75), ('shfl.sync.down.b32', 'shfl.sync.down.b32 %d0|%d1, %x, 4, 31, 0xdddddddd;', 'rp', 75),
                                ('vote.sync.ballot.b32', 'setp.lt.s32 %d1, %x, %y; vote.sync.ballot.b32 %d0, %d1, 0xdddddddd;', 'rp', 75), ('match.any.sync.b32', 'match.any.sync.b32 %d0, %x, 0xdddddddd;', 'r', 75),
                                ('redux.sync.add.s32', 'redux.sync.add.s32 %d0, %x, 0xdddddddd;', 'r', 80), ('activemask.b32', 'activemask.b32 %d0;', 'r', 75)):
        k.case(f'{name} of some lanes', f'{ODD}\nmov.b32 %d0, 0x5555;{" setp.eq.u32 %d1, 0, 1;" if "p" in outs else ""}\n@!%c bra UNDER;\n{one}\nUNDER: bar.warp.sync -1;', outs, sm)


def elect(k):
    k.case('elect.sync', 'elect.sync %d0|%d1, -1;', 'rp')
    k.case('elect.sync of some lanes', f'{ODD}\nmov.b32 %d0, 0x5555; setp.eq.u32 %d1, 0, 1;\n@!%c bra UNDER;\nelect.sync %d0|%d1, 0xdddddddd;\nUNDER: bar.warp.sync -1;', 'rp')


def special(k):
    for name in ('tid.x', 'tid.y', 'tid.z', 'ntid.x', 'ntid.y', 'ntid.z', 'laneid', 'ctaid.x', 'ctaid.y', 'ctaid.z', 'nctaid.x', 'nctaid.y', 'lanemask_eq', 'lanemask_le', 'lanemask_lt',
                 'lanemask_ge', 'lanemask_gt', 'total_smem_size', 'dynamic_smem_size'):
        k.case(f'mov.u32 %{name}', f'mov.u32 %d0, %{name};')
    k.case('dynamic shared memory', '.reg .b32 %e; mov.u32 %e, dynamic; add.u32 %e, %e, %thread; st.shared.b8 [%e], %x; ld.shared.s8 %d0, [%e];')
    for name, sm in (('cluster_ctaid.x', 90), ('cluster_nctaid.x', 90), ('cluster_ctarank', 90), ('cluster_nctarank', 90), ('clusterid.x', 90), ('nclusterid.x', 90)):
        k.case(f'mov.u32 %{name}', f'mov.u32 %d0, %{name};', sm=sm)


def moves(k):
    k.case('mov.b64 {r,r}', 'mov.b64 %d0, {%y, %x};', 'd')
    k.case('mov.b32 {h,h}', 'mov.b32 %d0, {%hy, %hx};')
    k.case('mov.b64 {h,h,h,h}', 'mov.b64 %d0, {%hy, %hx, %hz, %hy};', 'd')
    k.case('mov.b32 to {h,h}', 'mov.b32 {%d0, %d1}, %x;', 'hh')
    k.case('mov.b64 to {h,h,h,h}', 'mov.b64 {%d0, %d1, %d2, %d3}, %X;', 'hhhh')
    k.case('mov.b128', '.reg .b128 %e; mov.b128 %e, {%Y, %X};\nmov.b128 {%d0, %d1}, %e;', 'dd')
    for t in ('b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64'):
        k.case(f'mov.{t}', f'mov.{t} %d0, {VECTOR[letter(t)][0]};', letter(t))
    for n in range(0, 256, 5):
        k.case(f'lop3.b32 {n:#x}', f'lop3.b32 %d0, %x, %y, %z, {n:#x};')
    for n in (0x96, 0x1b, 0xe2, 0x2a, 0xf4):
        k.case(f'lop3.b32 {n:#x} const', f'lop3.b32 %d0, %x, %q, %z, {n:#x};')
        k.case(f'lop3.b32 {n:#x} imm', f'lop3.b32 %d0, %x, %y, 0x13579bdf, {n:#x};')
    for n in (0x3210, 0x7654, 0x0123, 0x4567, 0x5410, 0x7632, 0x8888, 0x9ba8, 0xfedc, 0x6240, 0x7531):
        k.case(f'prmt.b32 {n:#x}', f'prmt.b32 %d0, %x, %y, {n:#x};')
    for s in ('global', 'shared', 'local', 'const'):
        k.case(f'isspacep.{s} of global', f'isspacep.{s} %d0, %cell;', 'p')


# --- memory -----------------------------------------------------------------------------------------------

ATOMS = [(o, t) for o in ('and', 'or', 'xor', 'exch') for t in ('b32', 'b64')] + [('add', t) for t in ('u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16', 'noftz.f16x2')] + \
        [('inc', 'u32'), ('dec', 'u32')] + [(o, t) for o in ('min', 'max') for t in ('u32', 's32', 'u64', 's64')]


def atomics(k, space, address):
    """Of the thread's own cell: the old value and the new one; then of all threads of a warp in one."""
    where = f'.{space}' if space else ''
    def plain(t):
        return t.split('.')[-1]
    for name, t in ATOMS + [('add', 'noftz.bf16'), ('add', 'noftz.bf16x2')]:
        l = {'f16': 'h', 'bf16': 'h', 'f16x2': 'r', 'bf16x2': 'r'}.get(plain(t)) or letter(plain(t))
        a, b = VECTOR[l][:2]
        size = WIDTH[l]
        sm = 90 if 'bf16' in t else 75
        k.case(f'atom{where}.{name}.{t}', f'st{where}.b{size} [{address}], {b};\natom{where}.{name}.{t} %d0, [{address}], {a};\nld{where}.b{size} %d1, [{address}];', l + l, sm)
        if name != 'exch':
            k.case(f'red{where}.{name}.{t}', f'st{where}.b{size} [{address}], {b};\nred{where}.{name}.{t} [{address}], {a};\nld{where}.b{size} %d0, [{address}];', l, sm)
    for t in ('b16', 'b32', 'b64'):
        l = letter(t)
        a, b, c = VECTOR[l][:3]
        k.case(f'atom{where}.cas.{t}', f'st{where}.{t} [{address}], {b};\natom{where}.cas.{t} %d0, [{address}], {b}, {a};\nld{where}.{t} %d1, [{address}];', l + l)
        k.case(f'atom{where}.cas.{t} other', f'st{where}.{t} [{address}], {b};\natom{where}.cas.{t} %d0, [{address}], {c}, {a};\nld{where}.{t} %d1, [{address}];', l + l)
    k.case(f'atom{where}.exch.b128', f'.reg .b128 %e, %f; st{where}.v2.b64 [{address}], {{%X, %Y}}; mov.b128 %e, {{%Z, %W}};\natom{where}.exch.b128 %f, [{address}], %e;\nmov.b128 {{%d0, %d1}}, %f; ld{where}.v2.b64 {{%d2, %d3}}, [{address}];', 'dddd', 90)
    k.case(f'atom{where}.cas.b128', f'.reg .b128 %e, %f; st{where}.v2.b64 [{address}], {{%X, %Y}}; mov.b128 %e, {{%X, %Y}}; mov.b128 %f, {{%Z, %W}};\natom{where}.cas.b128 %e, [{address}], %e, %f;\nmov.b128 {{%d0, %d1}}, %e; ld{where}.v2.b64 {{%d2, %d3}}, [{address}];', 'dddd', 90)


def contended(k, space, address):
    """All threads of a warp in one cell: what does not depend on their order."""
    where = f'.{space}' if space else ''
    for name, t in ATOMS:
        if 'f' in t or name == 'exch':
            continue
        l = letter(t)
        a = VECTOR[l][0]
        for o in ('atom', 'red'):
            body = f'.reg .b{WIDTH[l]} %e; mov.b{WIDTH[l]} %e, {"0x55" if name not in ("inc", "dec") else "7"};\nst{where}.b{WIDTH[l]} [{address}], %e; bar.warp.sync -1;\n'
            operand = a if name not in ('inc', 'dec') else '11'
            body += f'atom{where}.{name}.{t} %e, [{address}], {operand};\n' if o == 'atom' else f'red{where}.{name}.{t} [{address}], {operand};\n'
            k.case(f'{o}{where}.{name}.{t} by a warp', body + f'bar.warp.sync -1; ld{where}.b{WIDTH[l]} %d0, [{address}]; bar.warp.sync -1;', l)
    k.case(f'atom{where}.add.u32 one by one', f'.reg .b32 %e; mov.b32 %e, 0; st{where}.b32 [{address}], %e; bar.warp.sync -1;\natom{where}.add.u32 %e, [{address}], 1;\nbar.warp.sync -1; redux.sync.add.u32 %d0, %e, -1;', 'r', 80)


def memory(k, space, address, caches=('',)):
    where = f'.{space}' if space else ''
    for t in ('u8', 's8', 'u16', 's16', 'u32', 's32', 'f32', 'u64', 's64', 'f64', 'b8', 'b16', 'b32', 'b64'):
        n = int(re.sub(r'\D', '', t))
        l = 'r' if n <= 32 else 'd'
        v = VECTOR[l][0]
        for c in caches:
            store = f'st{where}{c if c in (".cs", ".cg", ".wt", ".wb") else ""}.v2.b64 [{address}], {{%Y, %Z}};\n'
            k.case(f'ld{where}{c}.{t}', f'{store}ld{where}{c}.{t} %d0, [{address}+{n // 8}];', l)
        if t[0] != 'b' and n > 8:
            k.case(f'st{where}.{t}', f'st{where}.v2.b64 [{address}], {{%Y, %Z}};\nst{where}.{t} [{address}+{n // 8}], {VECTOR[letter(t)][0]};\nld{where}.v2.b64 {{%d0, %d1}}, [{address}];', 'dd')
    k.case(f'st{where}.b8', f'st{where}.v2.b64 [{address}], {{%Y, %Z}};\nst{where}.b8 [{address}+3], %x;\nld{where}.v2.b64 {{%d0, %d1}}, [{address}];', 'dd')
    for t, n in (('u8', 4), ('s16', 4), ('u8', 2), ('s8', 2), ('u16', 2), ('b32', 2), ('b32', 4), ('b64', 2)):
        l = 'd' if t == 'b64' else 'r'
        k.case(f'ld{where}.v{n}.{t}', f'st{where}.v2.b64 [{address}], {{%Y, %Z}};\nld{where}.v{n}.{t} {{{", ".join(f"%d{i}" for i in range(n))}}}, [{address}];', l * n)
    k.case(f'st{where}.v4.b8', f'st{where}.v2.b64 [{address}], {{%Y, %Z}};\nst{where}.v4.b8 [{address}+4], {{%x, %y, %z, %w}};\nld{where}.v2.b64 {{%d0, %d1}}, [{address}];', 'dd')
    k.case(f'st{where}.v2.b16', f'st{where}.v2.b64 [{address}], {{%Y, %Z}};\nst{where}.v2.b16 [{address}+4], {{%hx, %hy}};\nld{where}.v2.b64 {{%d0, %d1}}, [{address}];', 'dd')
    k.case(f'st{where}.v4.b32', f'st{where}.v4.b32 [{address}], {{%x, %y, %z, %w}};\nld{where}.v2.b64 {{%d0, %d1}}, [{address}];', 'dd')


def local(k):
    """An array that only an index of its own can reach."""
    k.case('st.local ld.local', '''.local .align 16 .b8 array[64]; .reg .b64 %e, %f; .reg .b32 %g; mov.u64 %e, array; and.b32 %g, %y, 7; cvt.u64.u32 %f, %g; shl.b64 %f, %f, 2; add.u64 %f, %e, %f;
st.local.v4.b32 [%e], {%x, %y, %z, %w}; st.local.v4.b32 [%e+16], {%w, %z, %y, %x};
st.local.b32 [%f], %lane;
and.b32 %g, %z, 7; cvt.u64.u32 %f, %g; shl.b64 %f, %f, 2; add.u64 %f, %e, %f;
ld.local.b32 %d0, [%f];''')
    k.case('generic of local', '''.local .align 16 .b8 array2[64]; .reg .b64 %e, %f; .reg .b32 %g; mov.u64 %e, array2; cvta.local.u64 %e, %e; and.b32 %g, %y, 15; cvt.u64.u32 %f, %g; add.u64 %f, %e, %f;
st.v4.b32 [%e], {%x, %y, %z, %w}; st.b8 [%f], %lane; ld.v2.b64 {%d0, %d1}, [%e]; isspacep.local %d2, %f;''', 'ddp')
    k.case('cvta.to.local', '''.local .align 16 .b8 array3[64]; .reg .b64 %e, %f; .reg .b32 %g; mov.u64 %e, array3; cvta.local.u64 %f, %e; cvta.to.local.u64 %f, %f; and.b32 %g, %y, 15; cvt.u64.u32 %e, %g; add.u64 %e, %f, %e;
st.local.v4.b32 [%f], {%x, %y, %z, %w}; st.local.b8 [%e], %lane; ld.local.v2.b64 {%d0, %d1}, [%f];''', 'dd')


def global_more(k):
    k.case('ld.global.nc.b32', 'ld.global.nc.b32 %d0, [%in+8192];')
    k.case('ld.global.nc.v2.u16', '.reg .b64 %e; .reg .b64 %f; and.b64 %f, %X, 1020; add.u64 %e, %first, %f; ld.global.nc.v2.u16 {%d0, %d1}, [%e];', 'rr')
    for c in ('.L1::evict_last', '.L1::no_allocate', '.L1::evict_first', '.L2::128B', '.L2::64B'):
        k.case(f'ld.global{c}.b32', f'st.global.v4.b32 [%cell], {{%x, %y, %z, %w}};\nld.global{c}.b32 %d0, [%cell+8];', sm=75)
    k.case('ld.volatile.global.b32', 'st.volatile.global.b32 [%cell], %x; ld.volatile.global.b32 %d0, [%cell];')
    for s in ('cta', 'gpu', 'sys'):
        k.case(f'relaxed.{s}', f'st.relaxed.{s}.global.b32 [%cell], %x; ld.relaxed.{s}.global.b32 %d0, [%cell];')
        k.case(f'release.{s}', f'st.release.{s}.global.b64 [%cell], %X; ld.acquire.{s}.global.b64 %d0, [%cell];', 'd')
        k.case(f'fence.{s}', f'st.global.b32 [%cell], %x; fence.acq_rel.{s}; fence.sc.{s}; membar.gl; ld.global.b32 %d0, [%cell];')
        k.case(f'atom.{s}', f'st.global.b32 [%cell], %y; atom.acq_rel.{s}.global.add.u32 %d0, [%cell], %x; ld.global.b32 %d1, [%cell];', 'rr')
    k.case('st.mmio', 'st.mmio.relaxed.sys.global.b32 [%cell], %x; ld.mmio.relaxed.sys.global.b32 %d0, [%cell];')
    k.case('prefetch', 'st.global.b32 [%cell], %x; prefetch.global.L1 [%cell]; prefetch.global.L2 [%cell]; prefetchu.L1 [%cell]; ld.global.b32 %d0, [%cell];')
    k.case('ld.global.b128', '.reg .b128 %e; mov.b128 %e, {%Y, %X}; st.global.b128 [%cell], %e; ld.global.b128 %e, [%cell]; mov.b128 {%d0, %d1}, %e;', 'dd')
    k.case('ld.const', '.reg .b64 %e, %f; mov.u64 %e, table; and.b64 %f, %X, 60; add.u64 %f, %e, %f; ld.const.b32 %d0, [%f]; and.b64 %f, %X, 56; add.u64 %f, %e, %f; ld.const.b64 %d1, [%f]; and.b64 %f, %X, 63; add.u64 %f, %e, %f; ld.const.s8 %d2, [%f];', 'rdr')
    k.case('generic of const', '.reg .b64 %e, %f; mov.u64 %e, table; cvta.const.u64 %e, %e; and.b64 %f, %X, 60; add.u64 %f, %e, %f; ld.b32 %d0, [%f]; isspacep.const %d1, %f;', 'rp')
    k.case('ld.param indexed', '.reg .b64 %e, %f; mov.b64 %e, params; and.b64 %f, %X, 60; add.u64 %f, %e, %f; ld.param.b32 %d0, [%f+32];')
    k.case('red.global.v2.f32', 'st.global.v4.b32 [%cell], {%x, %y, %z, %w}; red.global.v2.f32.add [%cell], {%y, %z}; ld.global.v2.b64 {%d0, %d1}, [%cell];', 'dd', 90)
    k.case('red.global.v4.f32', 'st.global.v4.b32 [%cell], {%x, %y, %z, %w}; red.global.v4.f32.add [%cell], {%y, %z, %w, %x}; ld.global.v2.b64 {%d0, %d1}, [%cell];', 'dd', 90)
    k.case('atom.global.v4.f32', 'st.global.v4.b32 [%cell], {%x, %y, %z, %w}; atom.global.v4.f32.add {%d0, %d1, %d2, %d3}, [%cell], {%y, %z, %w, %x}; ld.global.v2.b64 {%d4, %d5}, [%cell];', 'rrrrdd', 90)


def async_copies(k):
    for n in (4, 8, 16):
        k.case(f'cp.async.ca {n}', f'''.reg .b64 %e; mov.b64 %e, 0; st.shared.v2.b64 [%own], {{%e, %e}}; st.global.v4.b32 [%cell], {{%x, %y, %z, %w}}; fence.acq_rel.cta;
cp.async.ca.shared.global [%own], [%cell], {n}; cp.async.commit_group; cp.async.wait_group 0; ld.shared.v2.b64 {{%d0, %d1}}, [%own];''', 'dd', 80)
    k.case('cp.async.cg 16', '''st.global.v4.b32 [%cell], {%x, %y, %z, %w}; fence.acq_rel.cta;
cp.async.cg.shared.global [%own], [%cell], 16; cp.async.wait_all; ld.shared.v2.b64 {%d0, %d1}, [%own];''', 'dd', 80)
    for n in (4, 8, 16):
        k.case(f'cp.async.ca {n} of some', f'''.reg .b32 %e; .reg .b64 %f; mov.b64 %f, -1; st.shared.v2.b64 [%own], {{%f, %f}}; and.b32 %e, %x, {n - 1}; st.global.v4.b32 [%cell], {{%x, %y, %z, %w}}; fence.acq_rel.cta;
cp.async.ca.shared.global [%own], [%cell], {n}, %e; cp.async.commit_group; cp.async.wait_group 0; ld.shared.v2.b64 {{%d0, %d1}}, [%own];''', 'dd', 80)
    k.case('cp.async ignored', '''.reg .pred %c; setp.lt.s32 %c, %x, %y; st.global.v4.b32 [%cell], {%x, %y, %z, %w}; fence.acq_rel.cta;
cp.async.cg.shared.global [%own], [%cell], 16, %c; cp.async.wait_all; ld.shared.v2.b64 {%d0, %d1}, [%own];''', 'dd', 80)


def barriers(k):
    """An asynchronous barrier of the thread's own, in shared memory: 2 arrivals."""
    init = '.reg .b64 %s; .reg .pred %c; mbarrier.init.shared.b64 [%own], 2;\n'
    k.case('mbarrier.arrive', init + 'mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.pending_count.b64 %d1, %s;', 'pr', 80)
    k.case('mbarrier.arrive twice', init + 'mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.pending_count.b64 %d1, %s;', 'pr', 80)
    k.case('mbarrier.arrive_drop', init + 'mbarrier.arrive_drop.shared.b64 %s, [%own]; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.shared.b64 %d1, [%own], %s; mbarrier.pending_count.b64 %d2, %s;', 'ppr', 80)
    k.case('mbarrier.test_wait.parity', init + 'mbarrier.test_wait.parity.shared.b64 %d0, [%own], 0; mbarrier.test_wait.parity.shared.b64 %d1, [%own], 1; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.parity.shared.b64 %d2, [%own], 0; mbarrier.test_wait.parity.shared.b64 %d3, [%own], 1;', 'pppp', 90)
    k.case('mbarrier.arrive count', init + 'mbarrier.arrive.shared.b64 %s, [%own], 2; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.pending_count.b64 %d1, %s;', 'pr', 90)
    k.case('mbarrier.expect_tx', init + 'mbarrier.arrive.expect_tx.shared.b64 %s, [%own], 16; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.complete_tx.shared.b64 [%own], 16; mbarrier.test_wait.shared.b64 %d1, [%own], %s;', 'pp', 90)
    k.case('mbarrier.try_wait', init + 'mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.arrive.shared.b64 %s, [%own]; mbarrier.try_wait.shared.b64 %d0, [%own], %s; mbarrier.try_wait.parity.shared.b64 %d1, [%own], 0;', 'pp', 90)
    k.case('cp.async.mbarrier.arrive.noinc', init + 'st.global.v4.b32 [%cell], {%x, %y, %z, %w}; fence.acq_rel.cta;\nmbarrier.arrive.shared.b64 %s, [%own]; cp.async.mbarrier.arrive.noinc.shared.b64 [%own];\nWAIT: mbarrier.test_wait.shared.b64 %c, [%own], %s; @!%c bra WAIT; mov.u32 %d0, %x;', 'r', 80)


def barriers_incomplete(k):
    init = '.reg .b64 %s; .reg .pred %c; mbarrier.init.shared.b64 [%own], 2;\n'
    k.case('mbarrier.arrive.noComplete', init + 'mbarrier.arrive.noComplete.shared.b64 %s, [%own], 1; mbarrier.test_wait.shared.b64 %d0, [%own], %s; mbarrier.pending_count.b64 %d1, %s;', 'pr', 80)


def memory_rest(k):
    k.case('ldu.global.b32', '.reg .b64 %e; ldu.global.b32 %d0, [%in+4096];')
    k.case('ldu.global.v2.b64', 'st.global.v2.b64 [%cell], {%X, %Y}; fence.acq_rel.gpu; ldu.global.v2.b64 {%d0, %d1}, [%cell];', 'dd')
    k.case('createpolicy', '.reg .b64 %e; createpolicy.fractional.L2::evict_last.b64 %e, 1.0; st.global.L2::cache_hint.v4.b32 [%cell], {%x, %y, %z, %w}, %e; ld.global.L2::cache_hint.v2.b64 {%d0, %d1}, [%cell], %e;', 'dd', 80)
    k.case('atom.global.L2::cache_hint', '.reg .b64 %e; createpolicy.fractional.L2::evict_first.b64 %e; st.global.b32 [%cell], %y; atom.global.add.L2::cache_hint.u32 %d0, [%cell], %x, %e; ld.global.b32 %d1, [%cell];', 'rr', 80)
    k.case('discard', 'st.global.b32 [%cell], %x; ld.global.b32 %d0, [%cell]; applypriority.global.L2::evict_normal [%in], 128;', sm=80)
    k.case('alloca', '.reg .b64 %e, %s, %f; .reg .b32 %g; stacksave.u64 %s; alloca.u64 %e, 32, 16; and.b32 %g, %y, 3; cvt.u64.u32 %f, %g; shl.b64 %f, %f, 2; add.u64 %f, %e, %f; st.local.v4.b32 [%e], {%x, %y, %z, %w}; ld.local.b32 %d0, [%f]; stackrestore.u64 %s;')
    for t, n in (('f16x2', 2), ('f16x2', 4), ('bf16x2', 2), ('bf16x2', 4)):
        for space in ('atom', 'red'):
            regs = ', '.join(('%y', '%z', '%w', '%x')[:n])
            got = '{' + ', '.join(f'%d{i + 2}' for i in range(n)) + '}, '
            k.case(f'{space}.global.v{n}.{t}.add', f'st.global.v4.b32 [%cell], {{%x, %y, %z, %w}}; {space}.global.v{n}.{t}.add.noftz {got if space == "atom" else ""}[%cell], {{{regs}}}; ld.global.v2.b64 {{%d0, %d1}}, [%cell];', 'dd' + ('r' * n if space == 'atom' else ''), 90)
    k.case('isspacep of all', '.reg .b64 %e; .reg .b32 %f; mov.u32 %f, %own; cvt.u64.u32 %e, %f; cvta.shared.u64 %e, %e; isspacep.shared %d0, %e; isspacep.global %d1, %e; isspacep.local %d2, %e; isspacep.const %d3, %cell; isspacep.shared %d4, 0;', 'ppppp')


def control(k):
    k.case('brx.idx', '''.reg .b32 %e; and.b32 %e, %x, 3; branches: .branchtargets B0, B1, B2, B3;
brx.idx %e, branches;
B0: add.u32 %d0, %y, 17; bra BX;
B1: mul.lo.u32 %d0, %y, %z; bra BX;
B2: xor.b32 %d0, %y, %z; bra BX;
B3: sub.u32 %d0, %y, %z;
BX: ''')
    k.case('bra', '''.reg .pred %c; setp.lt.s32 %c, %x, %y; @%c bra C1;
mul.lo.u32 %d0, %y, %z; bra CX;
C1: add.u32 %d0, %x, %z;
CX: ''')
    k.case('loop', '''.reg .pred %c; .reg .b32 %e; and.b32 %e, %x, 15; mov.u32 %d0, %y;
LOOP: mad.lo.u32 %d0, %d0, 3, %e; sub.u32 %e, %e, 1; setp.ge.s32 %c, %e, 0; @%c bra LOOP;''')
    k.case('call', '{ .param .b32 result; .param .b32 first; .param .b32 second; st.param.b32 [first], %x; st.param.b32 [second], %y; call.uni (result), twice, (first, second); ld.param.b32 %d0, [result]; }')
    k.case('call of some', '''.reg .pred %c; setp.lt.s32 %c, %x, %y; mov.b32 %d0, 5; @!%c bra NOCALL;
{ .param .b32 result; .param .b32 first; .param .b32 second; st.param.b32 [first], %x; st.param.b32 [second], %y; call (result), twice, (first, second); ld.param.b32 %d0, [result]; }
NOCALL: ''')
    k.case('indirect call', '''kind_of_function: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
.reg .b64 %e, %f; .reg .pred %c; setp.lt.s32 %c, %x, %y; mov.u64 %e, twice; mov.u64 %f, other; selp.b64 %e, %e, %f, %c;
{ .param .b32 result; .param .b32 first; .param .b32 second; st.param.b32 [first], %x; st.param.b32 [second], %y; call (result), %e, (first, second), kind_of_function; ld.param.b32 %d0, [result]; }''')
    k.case('recursion', '''.reg .b32 %e; and.b32 %e, %x, 7;
{ .param .b32 result; .param .b32 first; .param .b32 second; st.param.b32 [first], %e; st.param.b32 [second], %y; call (result), again, (first, second); ld.param.b32 %d0, [result]; }''')
    k.case('exit of some', '''.reg .pred %c; setp.eq.u32 %c, %lane, 77; @%c exit; mov.u32 %d0, %x;''')
    k.case('trap never', '''.reg .pred %c; setp.eq.u32 %c, %lane, 77; @%c trap; mov.u32 %d0, %x;''')
    k.case('nanosleep', 'nanosleep.u32 20; mov.u32 %d0, %x;')
    k.case('bar.sync', 'bar.sync 0; st.shared.b32 [%own], %x; bar.sync 0; ld.shared.b32 %d0, [%mirror]; bar.sync 0;')
    k.case('barrier.sync of some', '''.reg .pred %c; .reg .b32 %e; st.shared.b32 [%own], %y; shr.u32 %e, %warp, 2; add.u32 %e, %e, 3; barrier.sync %e, 128; ld.shared.b32 %d0, [%mirror]; bar.sync 0;''')
    k.case('bar.arrive', '''.reg .pred %c; .reg .b32 %e; and.b32 %e, %thread, 127; shl.b32 %e, %e, 4; setp.lt.u32 %c, %warp, 4; mov.b32 %d0, 9; bar.sync 0; @%c bra PUT;
bar.sync 2, 256; .reg .b32 %f; mov.u32 %f, cells; add.u32 %e, %e, %f; ld.shared.b32 %d0, [%e]; bra TAKEN;
PUT: st.shared.b32 [%own], %z; bar.arrive 2, 256;
TAKEN: bar.sync 0;''')
    for o in ('and', 'or'):
        k.case(f'bar.red.{o}.pred', f'.reg .pred %c; setp.ne.s32 %c, %x, %y;\nbar.red.{o}.pred %d0, 0, %c;', 'p')
    k.case('bar.red.popc.u32', '.reg .pred %c; setp.lt.s32 %c, %x, %y;\nbar.red.popc.u32 %d0, 0, %c;')
    k.case('bar.red.popc.u32 of some', '.reg .pred %c; .reg .b32 %e; setp.lt.s32 %c, %x, %y; shr.u32 %e, %warp, 2; add.u32 %e, %e, 1;\nbarrier.red.popc.u32 %d0, %e, 128, !%c; bar.sync 0;')


# --- matrices ---------------------------------------------------------------------------------------------

OWN = '''.shared .align 128 .b8 cells[4096]; .reg .b32 %own, %swap, %mirror; mov.u32 %own, cells; shl.b32 %t1, %thread, 4;
    xor.b32 %swap, %t1, 0x50; add.u32 %swap, %own, %swap; xor.b32 %mirror, %t1, 0x7f0; add.u32 %mirror, %own, %mirror; add.u32 %own, %own, %t1;'''


def matrix(k, name, a, b, c, d, sm, first=0, wide_c=False):
    """mma with a, b, c words a fragment; the operands are words of the thread."""
    words = [f'%i{(first + n) % 16}' for n in range(a + b + c)]
    k.case(name, f'{name} {{{", ".join(f"%d{n}" for n in range(d))}}}, {{{", ".join(words[:a])}}}, {{{", ".join(words[a:a + b])}}}, {{{", ".join(words[a + b:])}}};', 'r' * d, sm)


def matrices_half(k):
    for d, n in (('f32', 4), ('f16', 2)):
        matrix(k, f'mma.sync.aligned.m16n8k8.row.col.{d}.f16.f16.{d}', 2, 1, n, n, 75)
        matrix(k, f'mma.sync.aligned.m16n8k16.row.col.{d}.f16.f16.{d}', 4, 2, n, n, 80)


def matrices_volta(k):
    for la in ('row', 'col'):
        for lb in ('row', 'col'):
            for d, n in (('f32', 8), ('f16', 4)):
                matrix(k, f'mma.sync.aligned.m8n8k4.{la}.{lb}.{d}.f16.f16.{d}', 2, 2, n, n, 75)


def matrices_bfloat(k):
    matrix(k, 'mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32', 2, 1, 4, 4, 80)
    matrix(k, 'mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32', 4, 2, 4, 4, 80)


def matrices_tf32(k):
    matrix(k, 'mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32', 2, 1, 4, 4, 80)
    matrix(k, 'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32', 4, 2, 4, 4, 80)


def matrices_double(k):
    def one(shape, a, b, c, sm):
        regs, pairs = '', []
        name = f'mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64'
        for n in range(a + b + c):
            regs += f'.reg .b64 %e{n}; mov.b64 %e{n}, {{%i{2 * n % 16}, %i{(2 * n + 1 + 2 * (n // 8)) % 16}}};'
            pairs.append(f'%e{n}')
        k.case(name, f'{regs}\n{name} {{{", ".join(f"%d{n}" for n in range(c))}}}, {{{", ".join(pairs[:a])}}}, {{{", ".join(pairs[a:a + b])}}}, {{{", ".join(pairs[a + b:])}}};', 'd' * c, sm)
    one('m8n8k4', 1, 1, 2, 80)
    one('m16n8k4', 2, 1, 4, 90)
    one('m16n8k8', 4, 2, 4, 90)
    one('m16n8k16', 8, 4, 4, 90)


def matrices_integer(k):
    for s in ('', '.satfinite'):
        for a in ('s', 'u'):
            for b in ('s', 'u'):
                matrix(k, f'mma.sync.aligned.m8n8k16.row.col{s}.s32.{a}8.{b}8.s32', 1, 1, 2, 2, 75)
                matrix(k, f'mma.sync.aligned.m16n8k16.row.col{s}.s32.{a}8.{b}8.s32', 2, 1, 4, 4, 80)
                matrix(k, f'mma.sync.aligned.m16n8k32.row.col{s}.s32.{a}8.{b}8.s32', 4, 2, 4, 4, 80)


def matrices_nibble(k):
    for s in ('', '.satfinite'):
        for a in ('s', 'u'):
            for b in ('s', 'u'):
                matrix(k, f'mma.sync.aligned.m8n8k32.row.col{s}.s32.{a}4.{b}4.s32', 1, 1, 2, 2, 75)
                matrix(k, f'mma.sync.aligned.m16n8k32.row.col{s}.s32.{a}4.{b}4.s32', 2, 1, 4, 4, 80)
                matrix(k, f'mma.sync.aligned.m16n8k64.row.col{s}.s32.{a}4.{b}4.s32', 4, 2, 4, 4, 80)


def matrices_bit(k):
    for o, sm in (('xor', 75), ('and', 80)):
        def one(shape, a, b, c, sm):
            words = [f'%i{n}' for n in range(a + b + c)]
            name = f'mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{o}.popc'
            k.case(name, f'{name} {{{", ".join(f"%d{n}" for n in range(c))}}}, {{{", ".join(words[:a])}}}, {{{", ".join(words[a:a + b])}}}, {{{", ".join(words[a + b:])}}};', 'r' * c, sm)
        one('m8n8k128', 1, 1, 2, sm)
        one('m16n8k128', 2, 1, 4, 80)
        one('m16n8k256', 4, 2, 4, 80)


def matrices_fp8(k):
    for a in ('e4m3', 'e5m2'):
        for b in ('e4m3', 'e5m2'):
            for d, n in (('f32', 4), ('f16', 2)):
                matrix(k, f'mma.sync.aligned.m16n8k32.row.col.{d}.{a}.{b}.{d}', 4, 2, n, n, 89)
                matrix(k, f'mma.sync.aligned.m16n8k16.row.col.{d}.{a}.{b}.{d}', 2, 1, n, n, 89)


def matrices_sparse(k):
    def one(name, a, b, c, sm):
        words = [f'%i{n}' for n in range(a + b + c)]
        for which in (0, 1):
            k.case(f'{name} {which}', f'.reg .b32 %e; mov.b32 %e, 0x{"4e9c" * 2};\n{name} {{{", ".join(f"%d{n}" for n in range(c))}}}, {{{", ".join(words[:a])}}}, {{{", ".join(words[a:a + b])}}}, {{{", ".join(words[a + b:])}}}, %e, {which};', 'r' * c, sm)
    one('mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32', 2, 2, 4, 80)
    one('mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32', 4, 4, 4, 80)


def half_immediates(k, types):
    """ptxas makes immediates of constants that PTX has to put into registers."""
    for t, l, two in types:
        value = ('0x3c004200' if l == 'r' else '0x4200') if 'bf' not in t else ('0x3f804040' if l == 'r' else '0x4040')
        x, y, z = VECTOR[l][:3]
        constant = f'.reg .b{WIDTH[l]} %e; mov.b{WIDTH[l]} %e, {value};'
        for name in two:
            k.case(f'{name}.{t} imm', f'{constant}\n{name}.{t} %d0, {x}, %e;', l, 90 if 'bf' in t and 'min' not in name and 'max' not in name else 80 if 'm' in name[:1] and name != 'mul' else 75)
        for n, body in enumerate((f'{x}, %e, {z}', f'{x}, {y}, %e')):
            k.case(f'fma.rn.{t} imm{n + 1}', f'{constant}\nfma.rn.{t} %d0, {body};', l, 80 if 'bf' in t else 75)
        if 'bf' not in t:
            k.case(f'setp.lt.{t} imm', f'{constant}\nsetp.lt.{t} {"%d0|%d1" if l == "r" else "%d0"}, {x}, %e;', 'pp' if l == 'r' else 'p')


def wmma(k, shape, a, b, c, d, na, nb, nc, sm, rest=''):
    """Fragments come and go through the instructions that load and store them: their layout is their own."""
    m, n, depth = (int(x) for x in re.match(r'm(\d+)n(\d+)k(\d+)', shape).groups())
    size = {'f16': 16, 'f32': 32, 's32': 32, 'bf16': 16, 'tf32': 32, 's8': 8, 'u8': 8, 's4': 4, 'u4': 4, 'b1': 1, 'f64': 64}
    letter_of = {64: 'd'}
    def regs(prefix, count):
        return '{' + ', '.join(f'%{prefix}{i}' for i in range(count)) + '}'
    def declare(prefix, count, t):
        return f'.reg .b{64 if t == "f64" else 32} ' + ', '.join(f'%{prefix}{i}' for i in range(count)) + ';'
    layouts = [('row', 'col')] if size[a] < 8 else [('row', 'col'), ('col', 'row'), ('row', 'row')]
    kind = {'s4': '.s4', 'u4': '.u4', 'b1': '.b1'}
    for la, lb in layouts:
        sa, sb = (depth if la == 'row' else m), (n if lb == 'row' else depth)
        result = letter_of.get(size[d], 'r')
        for lc in ('row', 'col'):
            sc = n if lc == 'row' else m
            body = f"""{declare('fa', na, a)} {declare('fb', nb, b)} {declare('fc', nc[0], c)} {declare('fd', nc[1], d)} .reg .b64 %ma, %mb;
add.u64 %ma, %bank, 0; add.u64 %mb, %bank, 16384;
wmma.load.a.sync.aligned.{la}.{shape}.global.{a} {regs('fa', na)}, [%ma], {sa};
wmma.load.b.sync.aligned.{lb}.{shape}.global.{b} {regs('fb', nb)}, [%mb], {sb};
wmma.load.c.sync.aligned.{lc}.{shape}.global.{c} {regs('fc', nc[0])}, [%ma+32], {sc};
wmma.mma{rest[:rest.index('/')] if '/' in rest else ''}.sync.aligned.{la}.{lb}.{shape}.{d + '.' + c if a == 'f16' else f'{d}.{a}.{b}.{c}'}{rest[rest.index('/') + 1:] if '/' in rest else rest} {regs('fd', nc[1])}, {regs('fa', na)}, {regs('fb', nb)}, {regs('fc', nc[0])};
wmma.store.d.sync.aligned.{lc}.{shape}.global.{d} [%warpcell], {regs('fd', nc[1])}, {sc}; bar.warp.sync -1;
.reg .b64 %mine, %mw; cvt.u64.u32 %mw, %lane; shl.b64 %mine, %mw, 5; add.u64 %mine, %warpcell, %mine;
ld.global.v4.b32 {{%d0, %d1, %d2, %d3}}, [%mine]; ld.global.v4.b32 {{%d4, %d5, %d6, %d7}}, [%mine+16]; bar.warp.sync -1;"""
            k.case(f'wmma.{la}.{lb}.{shape}.{d}.{a}.{b}.{c} {lc}{rest}', body, 'r' * 8, sm)


BANK = '.reg .b64 %bank; .reg .b32 %slot; and.b32 %slot, %warp, 7; mul.wide.u32 %bank, %slot, 1024; add.u64 %bank, %bank, %first;'


def clusters(k):
    """Two blocks: the other one's cells, which hold what its threads put there."""
    begin = 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; st.shared.v2.b64 [%own], {%X, %Y}; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n'
    end = '\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ld.shared.v2.b64 {%d0, %d1}, [%own];'
    for t in ('u8', 's16', 'b32', 'b64', 'f32'):
        l = 'd' if t == 'b64' else 'r'
        k.case(f'ld.shared::cluster.{t}', begin + f'ld.shared::cluster.{t} %d0, [%other];', l)
        k.case(f'ld.{t} of a cluster', begin + f'ld.{t} %d0, [%gother];', l)
    for t, v in (('b8', '%x'), ('b16', '%hx'), ('b32', '%z'), ('b64', '%Z')):
        k.case(f'st.shared::cluster.{t}', begin + f'st.shared::cluster.{t} [%other], {v};' + end, 'dd')
        k.case(f'st.{t} of a cluster', begin + f'st.{t} [%gother], {v};' + end, 'dd')
    k.case('st.shared::cluster.v4.b32', begin + 'st.shared::cluster.v4.b32 [%other], {%z, %w, %x, %y};' + end, 'dd')
    for o, t in [(o, t) for o in ('and', 'or', 'xor', 'exch') for t in ('b32', 'b64')] + [('add', t) for t in ('u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16x2', 'noftz.bf16x2')] + [('inc', 'u32'), ('dec', 'u32')] + [(o, t) for o in ('min', 'max') for t in ('u32', 's32', 'u64', 's64')]:
        l = letter(t.split('.')[-1]) if 'x2' not in t else 'r'
        for where, at in (('.shared::cluster', '%other'), ('', '%gother')):
            k.case(f'atom{where}.{o}.{t}{"" if where else " of a cluster"}', begin + f'atom{where}.{o}.{t} %d2, [{at}], {VECTOR[l][2]};' + end, 'dd' + l)
            if o != 'exch':
                k.case(f'red{where}.{o}.{t}{"" if where else " of a cluster"}', begin + f'red{where}.{o}.{t} [{at}], {VECTOR[l][2]};' + end, 'dd')
    for t in ('b16', 'b32', 'b64'):
        for where, at in (('.shared::cluster', '%other'), ('', '%gother')):
            k.case(f'atom{where}.cas.{t}{"" if where else " of a cluster"}', begin + f'.reg .b{t[1:]} %e; ld.shared::cluster.{t} %e, [%other]; atom{where}.cas.{t} %d2, [{at}], %e, {VECTOR[letter(t)][2]};' + end, 'dd' + letter(t))
    k.case('getctarank', 'getctarank.shared::cluster.u32 %d0, %other;')
    k.case('isspacep of a cluster', 'isspacep.shared::cluster %d0, %gother; isspacep.shared::cta %d1, %gother; isspacep.global %d2, %gother;', 'ppp')
    for name in ('cluster_ctaid.x', 'cluster_nctaid.x', 'cluster_ctarank', 'cluster_nctarank', 'clusterid.x', 'nclusterid.x', 'ctaid.x'):
        k.case(f'mov.u32 %{name} of two', f'mov.u32 %d0, %{name};')
    k.case('end', 'mov.u32 %d0, %x; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;')


OTHER = """ .reg .b32 %other, %rank; .reg .b64 %gother; mov.u32 %rank, %cluster_ctarank; xor.b32 %rank, %rank, 1; mapa.shared::cluster.u32 %other, %own, %rank;
    cvt.u64.u32 %gother, %own; cvta.shared.u64 %gother, %gother; mapa.u64 %gother, %gother, %rank;"""


def out_of_bounds_nans(k):
    """fma.oob takes one NaN for a zero's: every NaN in each place."""
    for t, l, low in (('f16', 'h', 0x7c00), ('bf16', 'h', 0x7f80)):
        ones, twos = ('0x3c00', '0x4000') if t == 'f16' else ('0x3f80', '0x4000')
        for sign in (0, 0x8000):
            for n, place in enumerate(('%n, %e, %f', '%e, %n, %f', '%e, %f, %n', '%n, %n, %f')):
                k.case(f'fma.rn.oob.{t} NaN {"abc2"[n]} {sign >> 15}', f'.reg .b32 %m; .reg .b16 %n, %e, %f; add.u32 %m, %t0, {low + sign}; and.b32 %m, %m, {0x7fff | sign}; cvt.u16.u32 %n, %m; mov.b16 %e, {ones}; mov.b16 %f, {twos};\nfma.rn.oob.{t} %d0, {place};', l, 90)


def matrix_moves(k):
    k.case('movmatrix', 'movmatrix.sync.aligned.m8n8.trans.b16 %d0, %x;')
    fill = 'bar.warp.sync -1; st.shared.v4.b32 [%own], {%x, %y, %z, %w}; bar.warp.sync -1;\n'
    for t in ('', '.trans'):
        for n in (1, 2, 4):
            k.case(f'ldmatrix.x{n}{t}', f'{fill}\nldmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 {{{", ".join(f"%d{i}" for i in range(n))}}}, [%swap]; bar.warp.sync -1;', 'r' * n)
            k.case(f'stmatrix.x{n}{t}', f'{fill}\nstmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 [%swap], {{{", ".join(f"%i{2 * i + 1}" for i in range(n))}}};\nbar.warp.sync -1; ld.shared.v4.b32 {{%d0, %d1, %d2, %d3}}, [%own]; bar.warp.sync -1;', 'rrrr', 90)


# --- all --------------------------------------------------------------------------------------------------

def build():
    integer_ops(Kernel('integers', 'int'), 'vic')
    integer_ops(Kernel('integers_uniform', 'int', uniform=True), 'v')
    bit_ops(Kernel('bits', 'small'), 'vic')
    bit_ops(Kernel('bits_uniform', 'small', uniform=True), 'v')
    compare(Kernel('compare', 'int'), ['b16', 'b32', 'b64'] + INTS, integer_comparisons, variants='vic')
    compare(Kernel('compare_uniform', 'int', uniform=True), ['b32', 'b64'] + INTS, integer_comparisons)
    k = Kernel('compare_float', 'f32')
    for z in FTZ:
        compare(k, ['f32'], lambda t: FLOAT_COMPARISONS, z, variants='vic')
    compare(Kernel('compare_double', 'f64'), ['f64'], lambda t: FLOAT_COMPARISONS, variants='vic')
    k = Kernel('predicates', 'int')
    predicates(k)
    select(k)
    carries(Kernel('carries', 'int'))
    moves(Kernel('moves', 'int'))
    single(Kernel('single', 'f32'))
    single_divisions(Kernel('single_divisions', 'f32'))
    single_approximations(Kernel('single_approximations', 'f32'))
    double(Kernel('double', 'f64'))
    double_divisions(Kernel('double_divisions', 'f64'))
    half(Kernel('half', 'f16'))
    bfloat(Kernel('bfloat', 'bf16', sm=80))
    integer_conversions(Kernel('integer_conversions', 'int'))
    for a, kind in (('f16', 'f16'), ('f32', 'f32'), ('f64', 'f64'), ('bf16', 'bf16')):
        float_conversions(Kernel(f'{a}_conversions', kind, sm=90 if a == 'bf16' else 75), a)
    small_floats(Kernel('small_float_conversions', 'f16', sm=89))
    video(Kernel('video', 'int'))
    simd_video(Kernel('simd_video', 'int'))
    warp(Kernel('warp', 'narrow'))
    warp(Kernel('warp_int', 'int'))
    elect(Kernel('elect', 'int', sm=90))
    special(Kernel('special', 'int'))
    special(Kernel('special_shared', 'int', top=OWN))
    for kind in ('int', 'f32', 'f16', 'f64', 'bf16'):
        for space, address in (('global', '%cell'), ('shared', '%own'), ('', '%cell')):
            if space or kind in ('int', 'f32'):
                k = Kernel(f'atomics_{space or "generic"}_{kind}', kind, top=OWN if space == 'shared' else '')
                full = kind == 'int'
                atomics_of(k, space, address, kind)
    k = Kernel('atomics_generic_of_shared', 'int', top=OWN + '.reg .b64 %gown; cvt.u64.u32 %gown, %own; cvta.shared.u64 %gown, %gown;')
    atomics_of(k, '', '%gown', 'int')
    k = Kernel('contended_global', 'int')
    contended(k, 'global', '%warpcell')
    k = Kernel('contended_shared', 'int', top=OWN + '.reg .b32 %wcell; mov.u32 %wcell, cells; mad.lo.u32 %wcell, %warp, 512, %wcell;')
    contended(k, 'shared', '%wcell')
    k = Kernel('memory_global', 'int')
    memory(k, 'global', '%cell', ('', '.ca', '.cg', '.cs', '.lu', '.cv'))
    global_more(k)
    memory(Kernel('memory_shared', 'int', top=OWN), 'shared', '%own')
    memory(Kernel('memory_generic', 'int'), '', '%cell', ('', '.cg', '.cs'))
    memory(Kernel('memory_generic_of_shared', 'int', top=OWN + '.reg .b64 %gown; cvt.u64.u32 %gown, %own; cvta.shared.u64 %gown, %gown;'), '', '%gown')
    local(Kernel('memory_local', 'int'))
    async_copies(Kernel('async_copies', 'int', sm=80, top=OWN))
    control(Kernel('control', 'int', top=OWN))
    matrix_moves(Kernel('matrix_moves', 'int', top=OWN))
    matrices_half(Kernel('matrices_half', 'near16'))
    matrices_half(Kernel('matrices_half_any', 'f16'))
    matrices_volta(Kernel('matrices_volta', 'near16'))
    matrices_bfloat(Kernel('matrices_bfloat', 'nearbf', sm=80))
    matrices_tf32(Kernel('matrices_tf32', 'neartf', sm=80))
    matrices_double(Kernel('matrices_double', 'near64', sm=80))
    matrices_integer(Kernel('matrices_integer', 'int'))
    matrices_nibble(Kernel('matrices_nibble', 'int'))
    matrices_bit(Kernel('matrices_bit', 'int'))
    matrices_fp8(Kernel('matrices_fp8', 'int', sm=89))
    matrices_sparse(Kernel('matrices_sparse', 'near16', sm=80))
    half_immediates(Kernel('half_immediates', 'f16'), [('f16', 'h', ('add', 'sub', 'mul', 'min', 'max')), ('f16x2', 'r', ('add', 'sub', 'mul', 'min', 'max'))])
    half_immediates(Kernel('bfloat_immediates', 'bf16', sm=80), [('bf16', 'h', ('add', 'sub', 'mul', 'min', 'max')), ('bf16x2', 'r', ('add', 'sub', 'mul', 'min', 'max'))])
    k = Kernel('clusters', 'int', sm=90, top=OWN + OTHER)
    k.cluster = '.explicitcluster .reqnctapercluster 2, 1, 1'
    clusters(k)
    out_of_bounds_nans(Kernel('out_of_bounds_nans', 'int', sm=90))
    barriers(Kernel('barriers', 'int', sm=80, top=OWN))
    barriers_incomplete(Kernel('barriers_incomplete', 'int', sm=80, top=OWN))
    memory_rest(Kernel('memory_rest', 'f16', top=OWN))
    k = Kernel('wmma_half', 'near16', top=BANK)
    for shape in ('m16n16k16', 'm32n8k16', 'm8n32k16'):
        wmma(k, shape, 'f16', 'f16', 'f16', 'f16', 8, 8, (4, 4), 75)
    wmma(Kernel('wmma_bfloat', 'nearbf', sm=80, top=BANK), 'm16n16k16', 'bf16', 'bf16', 'f32', 'f32', 4, 4, (8, 8), 80)
    wmma(Kernel('wmma_tf32', 'neartf', sm=80, top=BANK), 'm16n16k8', 'tf32', 'tf32', 'f32', 'f32', 4, 4, (8, 8), 80)
    k = Kernel('wmma_integer', 'int', top=BANK)
    for a in ('s8', 'u8'):
        for shape, na, nb in (('m16n16k16', 2, 2), ('m32n8k16', 4, 1), ('m8n32k16', 1, 4)):
            wmma(k, shape, a, a, 's32', 's32', na, nb, (8, 8), 75)
    wmma(k, 'm16n16k16', 's8', 's8', 's32', 's32', 2, 2, (8, 8), 75, '.satfinite')
    for a in ('s4', 'u4'):
        wmma(k, 'm8n8k32', a, a, 's32', 's32', 1, 1, (2, 2), 75)
    wmma(k, 'm8n8k128', 'b1', 'b1', 's32', 's32', 1, 1, (2, 2), 75, '.xor.popc/')
    wmma(Kernel('wmma_double', 'near64', sm=80, top=BANK), 'm8n8k4', 'f64', 'f64', 'f64', 'f64', 1, 1, (2, 2), 80)


def atomics_of(k, space, address, kind):
    """Of all types with whole numbers; with floats only their own."""
    mine = Kernel('scratch', kind)
    kernels.pop()
    atomics(mine, space, address)
    for name, body, outs, sm, _, _ in mine.cases:
        floating = re.search(r'\.(noftz\.)?(b?f\d+(x2)?)$', name)
        own = {'f32': ('f32',), 'f64': ('f64',), 'f16': ('f16', 'f16x2'), 'bf16': ('bf16', 'bf16x2')}.get(kind)
        if (own and floating and floating.group(2) in own) or (not own and not floating):
            k.case(name, body, outs, sm)


FUNCTIONS = '''
.extern .shared .align 16 .b8 dynamic[];
.const .align 8 .b32 table[16] = {0x12345678, 0x9abcdef0, 1, 2, 0xffffffff, 0x80000000, 0x7f, 0x80, 11, 13, 17, 19, 23, 29, 31, 0xdeadbeef};
.func (.param .b32 result) twice (.param .b32 first, .param .b32 second)
{ .reg .b32 %a, %b; ld.param.b32 %a, [first]; ld.param.b32 %b, [second]; mad.lo.u32 %a, %a, %b, 12345; st.param.b32 [result], %a; ret; }
.func (.param .b32 result) other (.param .b32 first, .param .b32 second)
{ .reg .b32 %a, %b; ld.param.b32 %a, [first]; ld.param.b32 %b, [second]; xor.b32 %a, %a, %b; add.u32 %a, %a, 99; st.param.b32 [result], %a; ret; }
.func (.param .b32 result) again (.param .b32 first, .param .b32 second)
{ .reg .b32 %a, %b, %c; .reg .pred %e; ld.param.b32 %a, [first]; ld.param.b32 %b, [second]; mov.u32 %c, %b; setp.eq.u32 %e, %a, 0; @%e bra DONE;
  sub.u32 %c, %a, 1; mad.lo.u32 %b, %b, 3, %a;
  { .param .b32 r; .param .b32 f; .param .b32 s; st.param.b32 [f], %c; st.param.b32 [s], %b; call (r), again, (f, s); ld.param.b32 %c, [r]; }
  add.u32 %c, %c, %a;
  DONE: st.param.b32 [result], %c; ret; }
'''


def main():
    build()
    what, path = sys.argv[1:]
    with open(path, 'w') as f:
        if what == 'list':
            for k in kernels:
                print(f'kernel {k.name} {k.kind} {int(k.uniform)} {min(c[3] for c in k.cases)} {k.columns}', file=f)
                for name, _, _, sm, column, words in k.cases:
                    print(f'{column} {words} {sm} {name}', file=f)
        else:
            sm = int(what)
            print(f'.version 9.0\n.target sm_{sm}\n.address_size 64{FUNCTIONS}', file=f)
            for k in kernels:
                print(k.text(sm), file=f)


main()
