#!/bin/sh
# wget -r, the floor: every link in breadth-first order, from one seed after the other.
proxy= delay= folder=
while [ $# -gt 0 ]; do
  case "$1" in
    --proxy) proxy=$2; shift 2 ;;
    --delay) delay=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    --name|--words|--pages) shift 2 ;;
    *) break ;;
  esac
done
exec wget -q -r -l inf -H --wait "$delay" --tries 1 -e use_proxy=yes -e "http_proxy=$proxy" -P "$folder" "$@"
