FROM python:3.12-slim
WORKDIR /srv/nextpair
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY selectors selectors
COPY storage storage
RUN pip install --no-cache-dir --constraint constraints.txt . \
    && useradd --system --no-create-home nextpair \
    && install --directory --owner nextpair /data
USER nextpair
# The SQLite file, unless NEXTPAIR_DATABASE names a PostgreSQL.
ENV NEXTPAIR_DATABASE=sqlite:////data/nextpair.db
VOLUME /data
WORKDIR /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD \
    ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["nextpair"]
CMD ["serve", "--host", "0.0.0.0"]
