/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Encodes and decodes a snapshot: hashes, chunks, directory nodes, packs and their indexes, and the
 * splitting of large files. Pure functions of bytes: no file system, no network, no clock. Decoders
 * are total: any input gives a value or a {@link dev.baton.snapshot.SnapshotException}. FORMAT.md
 * of this module describes the format with example bytes.
 */
@NullMarked
package dev.baton.snapshot.format;

import org.jspecify.annotations.NullMarked;
