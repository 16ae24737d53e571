package v2

import (
	"fmt"
	"net"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	webv1 "example.com/site-operator/api/v1"
)

// ConvertTo converts this Site (v2) to the Hub version (v1).
func (src *Site) ConvertTo(dstRaw conversion.Hub) error {
	dst := dstRaw.(*webv1.Site)
	host, port, err := net.SplitHostPort(src.Spec.Address)
	if err != nil {
		return fmt.Errorf("spec.address: %w", err)
	}
	number, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		return fmt.Errorf("spec.address: %w", err)
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = webv1.SiteSpec{Host: host, Port: int32(number), Replicas: src.Spec.Replicas}
	for _, page := range src.Spec.Pages {
		dst.Spec.Paths = append(dst.Spec.Paths, page.Path)
	}
	dst.Status = webv1.SiteStatus(src.Status)
	return nil
}

// ConvertFrom converts the Hub version (v1) to this Site (v2).
func (dst *Site) ConvertFrom(srcRaw conversion.Hub) error {
	src := srcRaw.(*webv1.Site)
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = SiteSpec{
		Address:  net.JoinHostPort(src.Spec.Host, strconv.Itoa(int(src.Spec.Port))),
		Replicas: src.Spec.Replicas,
	}
	for _, path := range src.Spec.Paths {
		dst.Spec.Pages = append(dst.Spec.Pages, Page{Path: path})
	}
	dst.Status = SiteStatus(src.Status)
	return nil
}
