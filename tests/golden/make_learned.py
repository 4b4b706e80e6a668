#!/usr/bin/env python3
"""Reference numbers from PyTorch for learned scores (engine/attend, align) and for engine/saturation.

Usage: make_learned.py > learned.tsv

Lines are as make_golden.py's. Draws are float32, everything after them is float64.
Needs Debian's python3-torch (1.13 gave the file that stands beside this script).
"""
import math

import torch
from torch import nn


def out(name, t):
    t = torch.as_tensor(t, dtype=torch.float64).detach()
    shape = "x".join(map(str, t.shape)) or "1"
    print(f"{name}_f64", shape, " ".join("%.17g" % v for v in t.reshape(-1).tolist()), sep="\t")


def scores(kind, q, k, w_v):
    if kind == "additive":
        return torch.tanh(q[:, None, :] + k[None, :, :]) @ w_v
    return q @ k.T / (math.sqrt(q.shape[1]) if kind == "scaled" else 1)


def layer(kind):
    """One layer with masked keys: context, weights, and the gradient of sum(context * g)."""
    torch.manual_seed(7)
    n_q, n_k, d, d_v = 3, 4, 5, 2
    lens = torch.tensor([2, 4, 1])
    x = [torch.randn(s).double() for s in ((n_q, d), (n_k, d), (n_k, d_v), (d,), (n_q, d_v))]
    g = x.pop()
    for t in x:
        t.requires_grad_()
    q, k, v, w_v = x
    s = scores(kind, q, k, w_v).masked_fill(torch.arange(n_k)[None] >= lens[:, None], -math.inf)
    a = torch.softmax(s, 1)
    c = a @ v
    wanted = x if kind == "additive" else x[:3]
    grads = torch.autograd.grad((c * g).sum(), wanted)
    for name, t in zip(("q", "k", "v", "w_v", "g"), (*x, g)):
        if kind == "additive":
            out(f"layer_{name}", t)
    out(f"layer_{kind}_weight", a)
    out(f"layer_{kind}_context", c)
    for name, t in zip(("q", "k", "v", "w_v"), grads):
        out(f"layer_{kind}_grad_{name}", t)


def align(seed, d=4, n=3, lr=1.0, epochs=5):
    torch.manual_seed(seed)
    h = torch.randn(50, d).double()
    h = h / h.norm(dim=1, keepdim=True) * math.sqrt(d)
    m = torch.randn(d, d).double() / math.sqrt(d)
    w = [nn.Linear(d, o, bias=False).weight.detach().double() for o in (d, d, 1)]
    query = h @ m.T
    out(f"align{seed}_source", h)
    out(f"align{seed}_query", query)
    out(f"align{seed}_theta", torch.cat([t.reshape(-1) for t in w]))
    h, query = h[:n], query[:n]
    for kind in ("additive", "scaled"):
        p = [t.clone().requires_grad_() for t in (w if kind == "additive" else w[:2])]
        losses = []
        for epoch in range(epochs + 1):
            a = torch.softmax(scores(kind, query @ p[0].T, h @ p[1].T, p[-1].reshape(-1)), 1)
            loss = nn.functional.mse_loss(a @ h, h)
            grads = torch.autograd.grad(loss, p)
            losses.append(loss.item())
            if epoch == 0:
                out(f"align{seed}_{kind}_gradient", torch.cat([t.reshape(-1) for t in grads]))
            with torch.no_grad():
                for t, g in zip(p, grads):
                    t -= lr * g
        out(f"align{seed}_{kind}_loss", losses)
        out(f"align{seed}_{kind}_weight", a)


def saturation(seed, d, m=8):
    rows = min(max(65536 // d // 16 * 16, 256), 4096)
    torch.manual_seed(seed)
    q = torch.randn(rows, d).double()
    k = torch.randn(rows, m, d).double()
    s = torch.einsum("rd,rmd->rm", q, k)
    line = []
    for z in (s, s / math.sqrt(d)):
        a = torch.softmax(z, 1)
        jacobian = torch.diag_embed(a) - a[:, :, None] * a[:, None, :]
        line += [z.var(unbiased=False), a.max(1).values.mean(), torch.special.entr(a).sum(1).mean(),
                 jacobian.flatten(1).norm(dim=1).mean()]
    out(f"saturation{seed}_{d}", line)


def search(d, n=3, m=5):
    torch.manual_seed(3)
    q = torch.randn(n, d).double().requires_grad_()
    k = torch.randn(m, d).double()
    out(f"search{d}_q", q)
    out(f"search{d}_k", k)
    for name, scale in (("plain", 1), ("scaled", 1 / math.sqrt(d))):
        a = torch.softmax(q @ k.T * scale, 1)
        loss = ((a - torch.eye(m).double()[:n]) ** 2).sum(1).mean()
        out(f"search{d}_{name}_loss", loss)
        out(f"search{d}_{name}_gradient", torch.autograd.grad(loss, q)[0])


if __name__ == "__main__":
    for kind in ("additive", "dot", "scaled"):
        layer(kind)
    for seed in (0, 42):
        align(seed)
        for d in (1, 4, 64):
            saturation(seed, d)
    search(8)
