/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.storage.file.WindowCacheConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/**
 * Leaves the user's and the system's git configuration alone, for reading as well as for writing: a
 * service has no user, and what somebody's hooks or signing settings say is not meant for it.
 */
final class IsolatedGitSystemReader extends SystemReader.Delegate {
  /** A pack of chunks or a long trace is read piece by piece: the store has a small heap. */
  private static final int LARGEST_IN_MEMORY = 4 << 20;

  private IsolatedGitSystemReader(SystemReader of) {
    super(of);
  }

  /** From here on, for this process. May be repeated. */
  static synchronized void use() {
    if (!(SystemReader.getInstance() instanceof IsolatedGitSystemReader)) {
      SystemReader.setInstance(new IsolatedGitSystemReader(SystemReader.getInstance()));
      WindowCacheConfig cache = new WindowCacheConfig();
      cache.setStreamFileThreshold(LARGEST_IN_MEMORY);
      cache.install();
    }
  }

  @Override
  public FileBasedConfig openUserConfig(Config parent, FS fs) {
    return new Nothing(parent, fs);
  }

  @Override
  public FileBasedConfig openSystemConfig(Config parent, FS fs) {
    return new Nothing(parent, fs);
  }

  @Override
  public FileBasedConfig openJGitConfig(Config parent, FS fs) {
    return new Nothing(parent, fs);
  }

  private static final class Nothing extends FileBasedConfig {
    @SuppressWarnings("NullAway") // the library takes null for: there is no file
    Nothing(Config parent, FS fs) {
      super(parent, null, fs);
    }

    @Override
    public void load() {}

    @Override
    public void save() {}

    @Override
    public boolean isOutdated() {
      return false;
    }
  }
}
