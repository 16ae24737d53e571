#!/bin/sh
# A program that is started like a controller but does nothing: with it, the tests must fail.
exec sleep 3600
