/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException;

/** Derives from the answer of the API server when a launch is to be repeated. */
final class PodLaunchRefusal {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private PodLaunchRefusal() {}

  /**
   * @param place address and namespace
   */
  static LaunchException of(int code, String message, String place, Throwable cause) {
    String text = "cannot start a pod at " + place + ": " + message;
    return switch (code) {
      case CONFLICT ->
          new LaunchException.NoRoomException(text); // Another request changed the quota.
      case UNAUTHORIZED ->
          new LaunchException.RejectedException(
              text + "; correct the credentials of the launcher", cause);
      case FORBIDDEN -> forbidden(message, text, cause);
      case NOT_FOUND ->
          new LaunchException.RejectedException(
              text + "; create the namespace, or correct kubernetes.namespace", cause);
      default -> new LaunchException.RejectedException(text, cause);
    };
  }

  private static LaunchException forbidden(String message, String text, Throwable cause) {
    if (message.contains("exceeded quota")) {
      return new LaunchException.NoRoomException(text);
    }
    boolean isPermission = message.contains("cannot create resource");
    return new LaunchException.RejectedException(
        isPermission ? text + "; apply deploy/kubernetes/rbac.yaml" : text, cause);
  }
}
