package v1

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webv1 "example.com/site-operator/api/v1"
)

// SetupSiteWebhookWithManager registers the webhook for Site in the manager.
func SetupSiteWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &webv1.Site{}).
		WithValidator(&SiteCustomValidator{}).
		WithDefaulter(&SiteCustomDefaulter{DefaultReplicas: 2}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-web-example-com-v1-site,mutating=true,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=sites,verbs=create;update,versions=v1,name=msite-v1.kb.io,admissionReviewVersions=v1

// SiteCustomDefaulter sets default values on Sites when they are created or updated.
type SiteCustomDefaulter struct {
	// DefaultReplicas is used where a Site says nothing.
	DefaultReplicas int32
}

// Default implements webhook.CustomDefaulter.
func (d *SiteCustomDefaulter) Default(_ context.Context, site *webv1.Site) error {
	if site.Spec.Replicas == nil {
		site.Spec.Replicas = &d.DefaultReplicas
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-web-example-com-v1-site,mutating=false,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=sites,verbs=create;update;delete,versions=v1,name=vsite-v1.kb.io,admissionReviewVersions=v1

// SiteCustomValidator validates Sites when they are created, updated, or deleted.
type SiteCustomValidator struct{}

// ValidateCreate implements webhook.CustomValidator.
func (v *SiteCustomValidator) ValidateCreate(_ context.Context, site *webv1.Site) (admission.Warnings, error) {
	return warnings(site), validate(site)
}

// ValidateUpdate implements webhook.CustomValidator.
func (v *SiteCustomValidator) ValidateUpdate(_ context.Context, _, site *webv1.Site) (admission.Warnings, error) {
	return warnings(site), validate(site)
}

// ValidateDelete implements webhook.CustomValidator.
func (v *SiteCustomValidator) ValidateDelete(_ context.Context, site *webv1.Site) (admission.Warnings, error) {
	if site.Annotations["web.example.com/keep"] == "true" {
		return nil, fmt.Errorf("site %s is kept: remove the annotation web.example.com/keep first", site.Name)
	}
	return nil, nil
}

func warnings(site *webv1.Site) admission.Warnings {
	if site.Spec.Port == 80 {
		return admission.Warnings{"port 80 is not encrypted"}
	}
	return nil
}

func validate(site *webv1.Site) error {
	var all field.ErrorList
	if strings.HasSuffix(site.Spec.Host, ".invalid") {
		all = append(all, field.Invalid(field.NewPath("spec", "host"), site.Spec.Host, "is reserved"))
	}
	if site.Spec.Replicas != nil && *site.Spec.Replicas > 5 {
		all = append(all, field.Invalid(field.NewPath("spec", "replicas"), *site.Spec.Replicas, "must be 5 at most"))
	}
	if len(all) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: "web.example.com", Kind: "Site"}, site.Name, all)
}
