# A small image: not root, a read-only root will do, and everything that is kept is below /crawls.
FROM python:3.13 AS build
# Not slim: it has the compiler for the native core.
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
ARG EXTRAS=cluster,media,parquet
COPY constraints.txt /wheels/constraints.txt
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --only-binary :all: --constraint /wheels/constraints.txt \
        "$(echo /wheels/*.whl)[${EXTRAS}]" \
    && rm -rf /wheels
RUN useradd --uid 10001 --create-home thresher \
    && mkdir /crawls \
    && chown thresher /crawls
USER 10001
ENV THRESHER_CONFIG=/crawls/.thresher/settings.toml PYTHONDONTWRITEBYTECODE=1
VOLUME /crawls
WORKDIR /crawls
EXPOSE 8417
ENTRYPOINT ["thresher"]
CMD ["--help"]
