FROM python:3.12-slim
WORKDIR /srv/nextpair
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY selectors selectors
COPY storage storage
RUN pip install --no-cache-dir --constraint constraints.txt '.[plot]' \
    && useradd --system --home-dir /srv/nextpair nextpair
USER nextpair
ENTRYPOINT ["nextpair"]
CMD ["--help"]
