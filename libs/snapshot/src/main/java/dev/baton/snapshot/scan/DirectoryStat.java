/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.posix.StatBuffer;

/** The attributes of a directory at the last scan. */
record DirectoryStat(
    FileMetadata meta, long ctimeSeconds, int ctimeNanos, long device, long inode) {
  /** If true, no name was added, removed or renamed in it either. */
  boolean matches(StatBuffer stat) {
    return ctimeSeconds == stat.ctimeSeconds
        && ctimeNanos == stat.ctimeNanos
        && inode == stat.inode
        && device == stat.device
        && meta.seconds() == stat.mtimeSeconds
        && meta.nanos() == stat.mtimeNanos
        && meta.mode() == stat.permissions();
  }
}
