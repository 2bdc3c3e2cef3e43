/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Defines the text of API keys and how a request carries one: {@code bk_<id>_<secret>}, where the
 * id of 12 lower-case letters and digits may be shown and the secret has 256 random bits. The
 * prefix lets scanners find keys in files. Thread-safe.
 */
public final class ApiKeyFormat {
  /** What a key must be, for error messages. */
  public static final String ALLOWED = "bk_, 12 letters or digits, _ and 43 characters";

  private static final Pattern KEY = Pattern.compile("bk_([a-z0-9]{12})_[A-Za-z0-9_-]{43}");
  private static final String ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
  private static final int ID_LENGTH = 12;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private ApiKeyFormat() {}

  /** Returns a new random key. */
  public static String create() {
    StringBuilder key = new StringBuilder("bk_");
    for (int i = 0; i < ID_LENGTH; i++) {
      key.append(ID_CHARACTERS.charAt(RANDOM.nextInt(ID_CHARACTERS.length())));
    }
    byte[] secret = new byte[SECRET_BYTES];
    RANDOM.nextBytes(secret);
    return key.append('_')
        .append(Base64.getUrlEncoder().withoutPadding().encodeToString(secret))
        .toString();
  }

  /** Returns the id in a key, which is not secret; empty when the text is not a key. */
  public static Optional<String> id(String key) {
    Matcher parts = KEY.matcher(key);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
