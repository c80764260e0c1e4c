# The exact version. Its digest is not pinned: look it up (docker buildx imagetools inspect) and put
# it behind the tag, as python:...@sha256:..., where builds must be the same bit by bit.
FROM python:3.12.12-slim-bookworm
WORKDIR /srv/nextpair
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY selectors selectors
COPY storage storage
COPY src/nextpair/__init__.py src/nextpair/py.typed src/nextpair/
# A number as the user: Kubernetes' runAsNonRoot wants one, and volumes keep it.
RUN pip install --no-cache-dir --constraint constraints.txt '.[mturk,prolific,plot]' \
    && useradd --system --uid 10001 --no-create-home --home-dir /nonexistent \
        --shell /usr/sbin/nologin nextpair \
    && install --directory --owner 10001 --group nextpair --mode 0700 /data
USER 10001
# The SQLite file, unless NEXTPAIR_DATABASE names a PostgreSQL. Nothing is written but to /data and
# /tmp: all else may be read-only.
ENV NEXTPAIR_DATABASE=sqlite:////data/nextpair.db \
    NEXTPAIR_HOST=0.0.0.0 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MPLCONFIGDIR=/tmp/matplotlib
VOLUME /data
WORKDIR /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD \
    ["python", "-c", "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ.get('NEXTPAIR_PORT', '8000')}/healthz\", timeout=2)"]
ENTRYPOINT ["nextpair"]
CMD ["serve"]
