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
 * Ignores the git configuration of the user and of the system, for reads and writes: a service has
 * no user, and hooks or signing settings there are not meant for it.
 */
final class IsolatedGitSystemReader extends SystemReader.Delegate {
  /**
   * Larger objects, such as packs of chunks and long traces, are streamed: the store has a small
   * heap.
   */
  private static final int LARGEST_IN_MEMORY = 4 << 20;

  private IsolatedGitSystemReader(SystemReader of) {
    super(of);
  }

  /** Installs this reader for the whole process. Idempotent. */
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
    @SuppressWarnings("NullAway") // JGit takes null as an absent file
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
