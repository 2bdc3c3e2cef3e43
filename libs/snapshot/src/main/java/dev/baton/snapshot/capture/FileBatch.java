/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.scan.DirState;

/**
 * Files of one directory that one thread reads.
 *
 * @param path of the directory, as readable text
 * @param files their indexes in the directory
 * @param bytes their total size, approximate
 */
record FileBatch(SharedDirectory in, DirState directory, String path, int[] files, long bytes) {}
