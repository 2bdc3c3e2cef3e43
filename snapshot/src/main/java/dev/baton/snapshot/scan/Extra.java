/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.Content;
import dev.baton.snapshot.format.Owner;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.Kind;
import dev.baton.snapshot.posix.StatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What few entries have.
 *
 * @param target of a symbolic link
 * @param linkTo path of the first name of the same file, where this is a further one
 * @param links how many names the file has, anywhere
 * @param content unless it is a single chunk or nothing
 */
record Extra(
    @Nullable String target,
    @Nullable String linkTo,
    int links,
    long device,
    @Nullable Owner owner,
    List<Xattr> xattrs,
    @Nullable Content content) {
  static final Extra NONE = new Extra(null, null, 1, 0, null, List.of(), null);

  Extra linkedTo(@Nullable String path) {
    return new Extra(target, path, links, device, owner, xattrs, content);
  }

  Extra with(@Nullable Owner owner, List<Xattr> xattrs, @Nullable Content content) {
    return new Extra(target, linkTo, links, device, owner, xattrs, content);
  }

  /** Of what was found; its content is not known. */
  static Extra of(StatBuffer stat, @Nullable String target) {
    Owner owner = FileAttributes.owner(stat);
    boolean linked = stat.kind() == Kind.FILE && stat.links > 1;
    return linked || owner != null || target != null
        ? new Extra(
            target, null, linked ? stat.links : 1, linked ? stat.device : 0, owner, List.of(), null)
        : NONE;
  }

  /** Null where there is nothing to keep. */
  @Nullable Extra orNull() {
    return equals(NONE) ? null : this;
  }
}
