/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.StatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Attributes that few entries have.
 *
 * @param target of a symbolic link
 * @param linkTo path of the file's first name, if this is an additional one
 * @param links number of names of the file, including names outside the tree
 * @param content null if it is empty or a single chunk
 */
record ExtraAttributes(
    @Nullable String target,
    @Nullable String linkTo,
    int links,
    long device,
    @Nullable FileOwner owner,
    List<Xattr> xattrs,
    @Nullable FileContent content) {
  static final ExtraAttributes NONE = new ExtraAttributes(null, null, 1, 0, null, List.of(), null);

  ExtraAttributes linkedTo(@Nullable String path) {
    return new ExtraAttributes(target, path, links, device, owner, xattrs, content);
  }

  ExtraAttributes with(
      @Nullable FileOwner owner, List<Xattr> xattrs, @Nullable FileContent content) {
    return new ExtraAttributes(target, linkTo, links, device, owner, xattrs, content);
  }

  /** Creates the attributes of a new entry, whose content is not yet read. */
  static ExtraAttributes of(StatBuffer stat, @Nullable String target) {
    FileOwner owner = FileAttributeReader.owner(stat);
    boolean linked = stat.kind() == FileKind.FILE && stat.links > 1;
    return linked || owner != null || target != null
        ? new ExtraAttributes(
            target, null, linked ? stat.links : 1, linked ? stat.device : 0, owner, List.of(), null)
        : NONE;
  }

  /** Returns null if all values are defaults. */
  @Nullable ExtraAttributes orNull() {
    return equals(NONE) ? null : this;
  }
}
