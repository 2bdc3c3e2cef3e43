/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import dev.baton.server.DefaultCredentialChecker;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds defaults of credentials that are used for servers of other hosts. */
public final class StoreCredentialValidator {
  private StoreCredentialValidator() {}

  /** Returns one line per credential; empty when all are allowed. */
  public static List<String> problems(StoreConfig config) {
    return Stream.of(
            DefaultCredentialChecker.problem(
                "baton.db.password",
                config.db().password(),
                StoreConfig.KNOWN_PASSWORD,
                "baton.db.host",
                config.db().host()),
            DefaultCredentialChecker.problem(
                "baton.object-store.secret-key",
                config.objectStore().secretKey(),
                StoreConfig.KNOWN_SECRET_KEY,
                "baton.object-store.endpoint",
                config.objectStore().endpoint().getHost()))
        .flatMap(Optional::stream)
        .toList();
  }
}
